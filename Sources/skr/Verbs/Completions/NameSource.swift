import CommandSupport
import SessionKeyring

/// The kinds of names from the keyring that completion offers.
enum NameSource: String {
    /// Services with a secret that this command can read.
    case services
    /// Services and servers of items of every kind.
    case anyServices
    /// The accounts of the service that comes earlier in the line.
    case accounts
    /// The names under which 'skr cached' keeps outputs.
    case cachedNames
    /// A variable and a reference, `VAR=skr://...`, once the variable's name and the `=` are typed.
    case assignments
    /// The clients of `skr helper`, by all their names.
    case clients

    /// Returns each matching name once.
    ///
    /// If the keyring can't be read, the result is empty, because errors don't belong in a prompt.
    func names(among arguments: [Argument], typing word: String) -> [String] {
        if self == .clients { return HelperClients.allNames }
        func value(of name: String) -> String? { arguments.first { $0.name == name }?.given.last }
        let scope = value(of: "--scope")
        guard scope.map({ Place.Scope(rawValue: $0) != nil }) ?? true,
            let place = try? Place(scope: scope.flatMap(Place.Scope.init), namespace: value(of: "--namespace"))
        else { return [] }
        let service = arguments.first { $0.kind == .word }?.given.first
        var items = (try? place.store().identities()) ?? []
        items += (try? SourcesFile.read()?.items(scope: place.scope, namespace: place.namespace)) ?? []
        var known: Set<[UInt8]> = []
        return items.compactMap { name(of: $0, after: service, typing: word) }.filter { name in
            // Skips names with unprintable characters: no shell can show them, and a line break would split the name.
            Display.plain(name) == name && known.insert(Array(name.utf8)).inserted
        }
    }

    private func name(of item: ItemIdentity, after service: String?, typing word: String) -> String? {
        let isSecret = item.kind.isOfSecrets || item.kind == .secret
        switch self {
        case .services: return isSecret ? item.service : nil
        case .anyServices: return item.service
        case .cachedNames: return item.kind == .cached ? item.service : nil
        case .accounts:
            guard isSecret, !item.account.isEmpty, let service else { return nil }
            return item.service == service ? item.account : nil
        case .assignments:
            guard isSecret, word.contains("=") else { return nil }
            return "\(word.prefix(before: "="))=\(SecretReference(to: item))"
        case .clients: return nil
        }
    }
}

extension Argument.Values {
    static var services: Self { .names(NameSource.services.rawValue) }
    static var anyServices: Self { .names(NameSource.anyServices.rawValue) }
    static var accounts: Self { .names(NameSource.accounts.rawValue) }
    static var cachedNames: Self { .names(NameSource.cachedNames.rawValue) }
    static var assignments: Self { .names(NameSource.assignments.rawValue) }
    static var clients: Self { .names(NameSource.clients.rawValue) }
}
