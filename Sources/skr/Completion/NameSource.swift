import ArgumentParser
import CommandSupport
import SessionKeyring

/// Which names from the keyring are offered.
enum NameSource: String {
    /// Services that have a secret which this command can read.
    case services
    /// Services and servers of items of every kind.
    case anyServices
    /// The accounts of the service that is named before.
    case accounts
    /// The names under which outputs of commands are kept.
    case cachedNames
    /// A variable and a reference, once the variable's name is there: `VAR=skr://...`.
    case assignments

    /// The names, each once; none if the keyring can't be read, as a prompt is no place for errors.
    func names(in line: PartialLine, typing word: String) -> [String] {
        let items = (try? line.place?.store().identities()) ?? []
        var known: Set<[UInt8]> = []
        return items.compactMap { name(of: $0, in: line, typing: word) }.filter { name in
            // No shell could show it, and a line break would split it.
            Display.plain(name) == name && known.insert(Array(name.utf8)).inserted
        }
    }

    private func name(of item: ItemIdentity, in line: PartialLine, typing word: String) -> String? {
        let isSecret = item.kind.isOfSecrets
        switch self {
        case .services: return isSecret ? item.service : nil
        case .anyServices: return item.service
        case .cachedNames: return item.kind == .cached ? item.service : nil
        case .accounts:
            guard isSecret, !item.account.isEmpty, let service = line.positionals.first else {
                return nil
            }
            return item.service.utf8.elementsEqual(service.utf8) ? item.account : nil
        case .assignments:
            guard isSecret, let sign = word.firstIndex(of: "=") else { return nil }
            return "\(word[...sign])\(SecretReference(to: item))"
        }
    }
}

extension CompletionKind {
    /// Names from the keyring.
    ///
    /// The argument parser hands a shell command on as it is. Nothing runs it, as its own scripts are not offered.
    static func names(_ source: NameSource) -> CompletionKind { .shellCommand(source.rawValue) }
}
