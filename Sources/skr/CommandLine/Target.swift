import ArgumentParser
import CommandSupport
import SessionKeyring

/// Which item, as the user names it.
struct Target {
    let place: Place
    let service: String
    let account: String?

    /// The item of exactly this name: without an account, the one that has none.
    var exactItem: ItemIdentity { .password(service: service, account: account ?? "") }

    /// The item that is meant: without an account, the one that has none, else the only one of the service.
    func meantItem(in store: SecretStore) throws(SecretStoreError) -> ItemIdentity {
        if account != nil { return exactItem }
        return try store.soleItem(of: .password, service: service) ?? exactItem
    }

    /// Calls `body` with the secret, in the memory that the kernel wrote to.
    func withSecret(
        in store: SecretStore,
        _ body: (RawSpan, ItemIdentity) throws(CommandError) -> Void
    ) throws(CommandError) {
        try CommandError.translating {
            // Most calls name an item that is there, so nothing need be listed.
            if try lend(exactItem, from: store, to: body) { return }
            let item = try meantItem(in: store)
            guard item != exactItem, try lend(item, from: store, to: body) else {
                throw SecretStoreError(.notFound, item: exactItem)
            }
        }
    }

    private func lend(
        _ item: ItemIdentity,
        from store: SecretStore,
        to body: (RawSpan, ItemIdentity) throws(CommandError) -> Void
    ) throws -> Bool {
        var failure: CommandError?
        let found: Void? = try store.withBytes(of: item) { bytes in
            do throws(CommandError) {
                try body(bytes, item)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return found != nil
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
        return item.account.isEmpty ? service : "\(service) \(plain(item.account))"
    }
}
