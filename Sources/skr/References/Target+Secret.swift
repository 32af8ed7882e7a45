import CommandSupport
import CredentialHelpers
import SecretText
import SessionKeyring

/// Reading the secret of a target, from the store or from a source.
extension Target {
    /// Calls `body` with the secret, or with one of its fields.
    ///
    /// A whole secret is not copied: `body` gets the memory that the kernel wrote to.
    ///
    /// - Parameter fetch: called instead of `body` if the item is missing and has a source; by default, it runs the
    ///   source and calls `body`.
    func withSecret<Value>(
        field: String?, in items: SourcedItems, _ body: (RawSpan) throws(CommandError) -> Value,
        fetching fetch: ((Source) throws(CommandError) -> Value)? = nil
    ) throws(CommandError) -> Value {
        try CommandError.translating {
            // Most calls give the exact name of an existing item. They end here, without listing the items.
            let store = items.store
            if let value = try lend(exactItem, field, from: store, to: body) { return value }
            let item = try meantItem(in: items)
            if item != exactItem, let value = try lend(item, field, from: store, to: body) { return value }
            if let source = try items.source(of: item) {
                if let fetch { return try fetch(source) }
                return try items.secret(of: source).bytes.withBytes { bytes throws(CommandError) in
                    try Self.extract(field, from: bytes, of: source.item, body)
                }
            }
            // An item that is stored in the meantime hides its source.
            guard let value = try lend(item, field, from: store, to: body) else {
                let isOver = try item.kind == .credential && store.contains(item)
                let hint = "its secret has expired: '--field refresh_token' prints the token for a new one"
                throw missing(exactItem, in: store, hint: isOver ? hint : MissingItem.usualHint)
            }
            return value
        }
    }

    /// Finds the item that the user means, among the items and the sources.
    private func meantItem(in items: SourcedItems) throws(CommandError) -> ItemIdentity {
        unsafe items.failure = nil
        let item = try CommandError.translating {
            try ItemIdentity.named(service, account: account, isThere: items.contains) { () throws(SecretStoreError) in
                try items.identities(of: service)
            }
        }
        if let failure = unsafe items.failure { throw failure }
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
