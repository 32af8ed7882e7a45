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
    private(set) var namespaces: [String]

    init(service: String, account: String?, in place: Place) throws(CommandError) {
        let file = try SourcesFile.read()
        // Without an account, the only declared one is meant, as for a stored item.
        let declared = try file?.items(of: service, scope: place.scope, namespace: place.namespace) ?? []
        let only = account == nil && declared.count == 1 ? declared[0] : nil
        let item = only ?? .password(service: service, account: account ?? "")
        if let problem = item.problem {
            throw CommandError(SecretStoreError(.invalidName(problem, of: .item), item: item))
        }
        self.declared = try file?.source(of: item, scope: place.scope, namespace: place.namespace)
        (self.item, self.place, namespaces) = (item, place, [place.namespace])
        for line in file?.all() ?? [] {
            guard let source = try? line.get(), source.item == item, source.scope == place.scope, source.oauth.isGiven,
                !namespaces.contains(where: { $0 == source.namespace })
            else { continue }
            namespaces.append(source.namespace)
        }
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
