import ArgumentParser
import CommandSupport
import CredentialHelpers
import SecretText
import SessionKeyring

/// Which item, as the user names it.
struct Target {
    let place: Place
    let service: String
    let account: String?

    /// The item of exactly this name: without an account, the one that has none.
    var exactItem: ItemIdentity { .password(service: service, account: account ?? "") }

    /// The item that is meant: without an account, the one that has none, else the only one of the service.
    ///
    /// Of several kinds the first one wins, in the order of `ItemIdentity.Kind.ofSecrets`.
    func meantItem(in store: SecretStore) throws(SecretStoreError) -> ItemIdentity {
        try .named(service, account: account, isThere: store.contains, among: store.identities) ?? exactItem
    }

    /// Calls `body` with the secret, in the memory that the kernel wrote to, or with this field of it.
    func withSecret<Value>(
        field: String?, in store: SecretStore, _ body: (RawSpan) throws(CommandError) -> Value
    ) throws(CommandError) -> Value {
        try CommandError.translating {
            // Most calls name an item that is there, so nothing need be listed.
            if let value = try lend(exactItem, field, from: store, to: body) { return value }
            let item = try meantItem(in: store)
            guard item != exactItem, let value = try lend(item, field, from: store, to: body) else {
                throw missing(exactItem, in: store)
            }
            return value
        }
    }

    /// The error that there is no such item.
    ///
    /// - Parameter hint: the hint if nothing of that name is found elsewhere.
    func missing(
        _ item: ItemIdentity, in store: SecretStore, hint: String = MissingItem.usualHint
    ) -> CommandError {
        MissingItem(item: item, isAnyAccount: account == nil, place: place).error(lookingIn: store, hint: hint)
    }

    private func lend<Value>(
        _ item: ItemIdentity, _ field: String?, from store: SecretStore,
        to body: (RawSpan) throws(CommandError) -> Value
    ) throws -> Value? {
        try store.withBytes(of: item) { bytes in
            Result { () throws(CommandError) in
                guard let field = field ?? (item.kind == .credential ? CredentialRecord.secretField : nil) else {
                    return try body(bytes)
                }
                return try JSONField.extract(field, from: bytes, of: Display.name(of: item)).withBytes(body)
            }
        }?.get()
    }
}

/// The arguments that name an item.
struct TargetArguments: ParsableArguments {
    @Argument(help: "What the secret is for.", completion: .names(.services))
    var service: String

    @Argument(help: "Whose it is, where a service has several.", completion: .names(.accounts))
    var account: String?

    @OptionGroup var options: PlaceOptions

    func target() throws(CommandError) -> Target {
        Target(place: try options.place(), service: service, account: account)
    }
}

extension Display {
    /// An item as the user names it.
    static func name(of item: ItemIdentity) -> String {
        let service = plain(item.service)
        if item.kind == .cached {
            return service + plain(CachedVariant.options(of: item.account) ?? " \(item.account)")
        }
        return item.account.isEmpty ? service : "\(service) \(plain(item.account))"
    }
}
