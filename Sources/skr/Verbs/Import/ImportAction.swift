import CommandSupport
import Glibc
import SecretText
import SessionKeyring

/// A secret that another program has stored.
struct FoundSecret {
    let item: ItemIdentity
    /// The size in bytes; `nil` if it isn't known until the secret is read.
    let size: Int?
    /// Reads the secret; returns `nil` if it has vanished or is not a secret.
    let read: () throws(CommandError) -> SecretBox?

    init(service: String, account: String, size: Int?, read: @escaping () throws(CommandError) -> SecretBox?) {
        item = .password(service: service, account: account)
        self.size = size
        self.read = read
    }
}

/// The secrets that a source contains.
struct FoundSecrets {
    private(set) var secrets: [FoundSecret] = []
    private var items: Set<ItemIdentity> = []
    /// The secrets that can't become items, each with its name in the source and the reason.
    private(set) var passedOver: [(name: String, reason: String)] = []

    mutating func passOver(_ name: String, because reason: String) { passedOver.append((name, reason)) }

    mutating func append(_ secret: FoundSecret) {
        let name = [secret.item.service, secret.item.account].filter { !$0.isEmpty }.joined(separator: " ")
        switch secret.item.problem {
        case .empty: passOver(name, because: "its name has no service")
        case .tooLong(let bytes, let limit):
            passOver(name, because: "its name takes \(bytes) bytes; the limit is \(limit)")
        default:
            guard items.insert(secret.item).inserted else {
                return passOver(name, because: "another secret becomes the same item")
            }
            secrets.append(secret)
        }
    }
}

/// Finds the secrets of another program.
protocol SecretFinder {
    func find() throws -> FoundSecrets
}

extension SecretFinder {
    /// The reason for passing over a name that isn't UTF-8.
    static var notText: String { "its name is not UTF-8" }
}

/// Lists the secrets that another program has stored, and imports them if asked to.
struct ImportAction: VerbAction {
    let place: Place
    let finder: any SecretFinder
    let source: String
    let timeout: Duration?
    let imports: Bool
    let replaces: Bool

    private enum State: String {
        case new, present = "there already"
        case imported, replaced, kept, gone
    }

    func run() throws {
        let found = try finder.find()
        let count = found.passedOver.count
        guard !found.secrets.isEmpty else {
            report(found.passedOver)
            let others = count > 0 ? "; \(count) skipped" : ""
            throw CommandError(
                exitCode: .noItem, message: "\(source) has nothing to import\(others)",
                hint: "'skr help import' shows where skr looks")
        }
        let store = try place.store()
        if imports { try place.warnIfShared(in: store) }
        var rows: [[String]] = []
        var states: [State] = []
        do {
            for secret in found.secrets {
                let (state, size) = try imports ? take(secret, into: store) : look(for: secret, in: store)
                states.append(state)
                rows.append(row(of: secret, state, size: size))
            }
        } catch {
            // The secrets that were imported so far stay imported.
            try show(rows)
            throw error
        }
        try show(rows)
        report(found.passedOver)
        Console.note(summary(states, passedOver: count))
    }

    /// Names the secrets that can't become items, in the order of their names.
    private func report(_ passedOver: [(name: String, reason: String)]) {
        for (name, reason) in passedOver.sorted(by: { $0 < $1 }) { Console.note("skipped: \(name): \(reason)") }
    }

    private func row(of secret: FoundSecret, _ state: State, size: Int?) -> [String] {
        let item = secret.item
        let size = size.map { "\($0)" } ?? "?"
        return [item.kind.rawValue, Display.plain(item.service), Display.plain(item.account), size, state.rawValue]
    }

    private func look(for secret: FoundSecret, in store: SecretStore) throws -> (State, size: Int?) {
        (try store.contains(secret.item) ? .present : .new, secret.size)
    }

    /// Imports a secret and returns its size, which is known after reading at the latest.
    private func take(_ secret: FoundSecret, into store: SecretStore) throws -> (State, size: Int?) {
        let isThere = try store.contains(secret.item)
        // Checked before the source asks for a passphrase.
        if isThere, !replaces { return (.kept, secret.size) }
        guard let payload = try secret.read() else { return (.gone, secret.size) }
        if replaces {
            try store.set(payload.bytes, for: secret.item, timeout: timeout)
            return (isThere ? .replaced : .imported, payload.count)
        }
        do throws(SecretStoreError) {
            try store.add(payload.bytes, for: secret.item, timeout: timeout)
            return (.imported, payload.count)
        } catch {
            guard error.code == .duplicate else { throw error }
            return (.kept, payload.count)
        }
    }

    private func show(_ rows: [[String]]) throws(CommandError) {
        guard Console.isOutputTerminal else {
            return try Console.write(rows.map { $0.joined(separator: "\t") + "\n" }.joined())
        }
        let table = TextTable(
            columns: [
                .init("KIND", isNumber: false, rank: 0), .init("SERVICE", isNumber: false, rank: 4, isName: true),
                .init("ACCOUNT", isNumber: false, rank: 3, isName: true), .init("BYTES", isNumber: false, rank: 1),
                .init("STATE", isNumber: false, rank: 2),
            ], rows: rows)
        try Console.write(table.text(width: TerminalWidth.of(STDOUT_FILENO)))
    }

    private func summary(_ states: [State], passedOver: Int) -> String {
        func count(_ state: State, _ words: String) -> String? {
            let count = states.count { $0 == state }
            return count > 0 ? "\(count) \(words)" : nil
        }
        let counts = [
            count(.new, "new"), count(.present, "there already"), count(.imported, "imported"),
            count(.replaced, "replaced"), count(.kept, "kept unchanged"), count(.gone, "could not be read"),
            passedOver > 0 ? "\(passedOver) skipped" : nil,
        ].compactMap { $0 }.joined(separator: ", ")
        return imports ? counts : "\(counts); to import them, add --yes"
    }
}
