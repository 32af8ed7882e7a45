import CommandSupport
import CredentialHelpers
import SecretText
import SessionKeyring

/// The result of a lookup.
enum Lookup<Value> {
    case found(Value)
    /// The store lacks the secret, but this source has it.
    case source(Source)
    /// The error says which item is missing.
    case missing(CommandError)
}

/// Reading the secret of a target, from the store or from a source.
extension Target {
    /// Calls `body` with the secret, or with one of its fields, and runs the source of a missing secret.
    ///
    /// A whole secret is not copied: `body` gets the memory that the kernel wrote to.
    func withSecret<Value>(
        field: String?, in items: SourcedItems, _ body: (RawSpan) throws(CommandError) -> Value
    ) throws(CommandError) -> Value {
        switch try lookUp(field: field, in: items, body) {
        case .found(let value): return value
        case .source(let source):
            return try items.secret(of: source).bytes.withBytes { bytes throws(CommandError) in
                try Self.extract(field, from: bytes, of: source.item, body)
            }
        case .missing(let error): throw error
        }
    }

    /// Looks the secret up, and calls `body` with it if the store has it.
    func lookUp<Value>(
        field: String?, in items: SourcedItems, _ body: (RawSpan) throws(CommandError) -> Value
    ) throws(CommandError) -> Lookup<Value> {
        try CommandError.translating {
            // Most calls give the exact name of an existing item. They end here, without listing the items.
            let store = items.store
            if let value = try lend(exactItem, field, from: store, to: body) { return .found(value) }
            let item = try meantItem(in: items)
            if item != exactItem, let value = try lend(item, field, from: store, to: body) { return .found(value) }
            if let source = try items.source(of: item) { return .source(source) }
            // An item that is stored in the meantime hides its source.
            if let value = try lend(item, field, from: store, to: body) { return .found(value) }
            let isOver = try item.kind == .credential && store.contains(item)
            let hint = "its secret has expired: '--field refresh_token' prints the token for a new one"
            return .missing(missing(exactItem, in: store, hint: isOver ? hint : MissingItem.usualHint))
        }
    }

    /// Finds the item that the user means, among the items and the sources.
    private func meantItem(in items: SourcedItems) throws -> ItemIdentity {
        let declared = try items.declared(of: service)
        let item = try ItemIdentity.named(service, account: account) { item throws(SecretStoreError) in
            if try items.store.contains(item) { return true }
            return declared.contains(item) ? try !items.store.hasSecret(of: item) : false
        } among: { () throws(SecretStoreError) in
            try items.identities(with: declared)
        }
        return item ?? exactItem
    }

    static func extract<Value>(
        _ field: String?, from bytes: RawSpan, of item: ItemIdentity, _ body: (RawSpan) throws(CommandError) -> Value
    ) throws(CommandError) -> Value {
        guard let field = field ?? (item.kind == .credential ? CredentialRecord.secretField : nil) else {
            return try body(bytes)
        }
        return try JSONField.extract(field, from: bytes, of: Display.name(of: item)).withBytes(body)
    }

    private func lend<Value>(
        _ item: ItemIdentity, _ field: String?, from store: SecretStore,
        to body: (RawSpan) throws(CommandError) -> Value
    ) throws -> Value? {
        try store.lending(item) { bytes -> Result<Value, CommandError>? in
            if item.kind == .credential, field ?? CredentialRecord.secretField == CredentialRecord.secretField,
                CredentialRecord(SecretBox(copying: bytes), of: item)?.isOver == true
            {
                return nil
            }
            return Result { () throws(CommandError) in
                try Self.extract(field, from: bytes, of: item, body)
            }
        }??.get()
    }
}
