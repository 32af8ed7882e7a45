import ArgumentParser
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

    /// Returns each matching name once.
    ///
    /// If the keyring can't be read, the result is empty, because errors don't belong in a prompt.
    func names(in line: PartialLine, typing word: String) -> [String] {
        var items = (try? line.place?.store().identities()) ?? []
        if let place = line.place {
            items += (try? SourcesFile.read()?.items(scope: place.scope, namespace: place.namespace)) ?? []
        }
        var known: Set<[UInt8]> = []
        return items.compactMap { name(of: $0, in: line, typing: word) }.filter { name in
            // Skips names with unprintable characters: no shell can show them, and a line break would split the name.
            Display.plain(name) == name && known.insert(Array(name.utf8)).inserted
        }
    }

    private func name(of item: ItemIdentity, in line: PartialLine, typing word: String) -> String? {
        let isSecret = item.kind.isOfSecrets || item.kind == .secret
        switch self {
        case .services: return isSecret ? item.service : nil
        case .anyServices: return item.service
        case .cachedNames: return item.kind == .cached ? item.service : nil
        case .accounts:
            guard isSecret, !item.account.isEmpty, let service = line.positionals.first else {
                return nil
            }
            return item.service == service ? item.account : nil
        case .assignments:
            guard isSecret, word.contains("=") else { return nil }
            return "\(word.prefix(before: "="))=\(SecretReference(to: item))"
        }
    }
}

extension CompletionKind {
    /// Offers names from the keyring.
    ///
    /// The argument parser passes a shell command on unchanged. Nothing runs it, because the parser's own scripts
    /// are not offered.
    static func names(_ source: NameSource) -> CompletionKind { .shellCommand(source.rawValue) }
}
