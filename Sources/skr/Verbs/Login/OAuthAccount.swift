import CommandSupport
import Keyutils
import SessionKeyring

/// An account that logs in: its item, its place, and the lines of the sources file that declare it.
struct OAuthAccount {
    let item: ItemIdentity
    let place: Place
    /// The line for this place; `nil` if there isn't one.
    let declared: Source?
    /// The namespaces of all lines with this account, beginning with that of the caller.
    let namespaces: [String]

    init(service: String, account: String?, in place: Place) throws(CommandError) {
        let file = try SourcesFile.read()
        // Without an account, the only declared one is meant, as for a stored item.
        let declared = try file?.items(of: service, scope: place.scope, namespace: place.namespace) ?? []
        let only = account == nil && declared.count == 1 ? declared[0] : nil
        let item = only ?? .password(service: service, account: account ?? "")
        self.declared = try file?.source(of: item, scope: place.scope, namespace: place.namespace)
        (self.item, self.place) = (item, place)
        let others = (file?.all() ?? []).compactMap { try? $0.get() }.filter { line in
            line.item == item && line.scope == place.scope && line.oauth.isGiven && line.namespace != place.namespace
        }
        namespaces = [place.namespace] + others.map(\.namespace)
    }

    var name: String { Display.name(of: item) }

    /// The line that declares the account with these options.
    func line(_ options: OAuthOptions) -> String {
        var words = [item.service] + (item.account.isEmpty ? [] : [item.account]) + options.lineWords
        if place.scope != .session { words += ["--scope", place.scope.rawValue] }
        if place.namespace != SecretStore.defaultNamespace {
            words += PlaceOptions.words("--namespace", place.namespace)
        }
        return words.map(Display.storedWord).joined(separator: " ")
    }
}
