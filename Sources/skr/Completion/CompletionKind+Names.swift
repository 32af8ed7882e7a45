import CommandSupport
import ArgumentParser
import SessionKeyring

extension CompletionKind {
    /// Services that have a secret which this command can read.
    static var services: CompletionKind {
        names { _, item in item.kind == .password ? item.service : nil }
    }

    /// Services and servers of items of every kind.
    static var anyServices: CompletionKind {
        names { _, item in item.service }
    }

    /// What commands printed is kept under these.
    static var cachedNames: CompletionKind {
        names { _, item in item.kind == .cached ? item.service : nil }
    }

    /// The accounts of the service that is named before.
    static var accounts: CompletionKind {
        names { positionals, item in
            guard item.kind == .password, let service = positionals.first, !item.account.isEmpty,
                item.service.utf8.elementsEqual(service.utf8)
            else { return nil }
            return item.account
        }
    }

    /// A variable and a reference, once the variable's name is there: `VAR=skr://...`.
    static var assignments: CompletionKind {
        .custom { words, _, _ in
            guard let word = words.last, let sign = word.firstIndex(of: "=") else { return [] }
            return items(for: CompletionContext(words)).filter { $0.kind == .password }.map { item in
                "\(word[...sign])\(SecretReference(to: item))"
            }
        }
    }

    private static func names(_ name: @escaping @Sendable ([String], ItemIdentity) -> String?) -> CompletionKind {
        .custom { words, _, _ in
            let context = CompletionContext(words)
            var known: Set<[UInt8]> = []
            return items(for: context).compactMap { name(context.positionals, $0) }.filter { name in
                // No shell could show it, and a line break would make two of it.
                Display.plain(name) == name && known.insert(Array(name.utf8)).inserted
            }
        }
    }

    /// What is in the keyring; nothing where it can't be read, because there is nobody to tell.
    private static func items(for context: CompletionContext) -> [ItemIdentity] {
        (try? context.place?.store().identities()) ?? []
    }
}
