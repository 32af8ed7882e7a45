import CommandSupport
import SessionKeyring
import SystemPackage

struct ClearVerb: Verb {
    static let name = "clear"
    static let summary = "Delete all secrets of the namespace, or of one service."
    static let details = """
        SERVICE must be the exact name. clear also deletes the outputs that 'skr cached' has stored. If a \
        command of 'skr cached' is running, its output is not stored.

        Without SERVICE, clear asks first if standard input is a terminal.

        If standard error is a terminal, clear prints the number of deleted items; without SERVICE, an estimate.
        """

    static let examples = """
        skr clear
        skr clear db
        skr clear --yes
        """

    private let isSure: Bool
    private let options: PlaceOptions
    private let service: String?

    init(_ words: inout CommandWords) {
        isSure = words.flag("--yes", "Don't ask.")
        options = PlaceOptions(&words)
        service = words.optionalWord("SERVICE", "Only the items of this service.", .anyServices)
    }

    func run() throws {
        try service.map(Target.requireService)
        let place = try options.place()
        let store = try place.store()
        var count: Int?
        if let service {
            count = try Self.clear(service, in: store)
        } else {
            let asks = !isSure && Console.isInputTerminal
            // Only the question and the message below need the count.
            if asks || Console.isErrorTerminal { count = try? store.identities().count }
            if asks, count != 0 { try Self.confirm(deleting: count, in: place) }
            try store.clear()
        }
        guard Console.isErrorTerminal, let count else { return }
        Console.note(
            count == 0
                ? "nothing to delete\(place.remark)"
                : "\(service == nil ? "about " : "")\(count) item\(count == 1 ? "" : "s") deleted\(place.remark)")
    }

    /// Asks on the terminal, and throws unless the answer is yes.
    private static func confirm(deleting count: Int?, in place: Place) throws(CommandError) {
        let items = count.map { $0 == 1 ? "1 item" : "\($0) items" } ?? "all items"
        let question = "delete \(items)\(place.remark)? [y/N] "
        // Standard error could be redirected, and the user has to see the question.
        let terminal = try? unsafe FileDescriptor.open("/dev/tty", .writeOnly, options: .closeOnExec)
        defer { try? terminal?.close() }
        _ = unsafe try? (terminal ?? .standardError).writeAll(question.utf8Span.span.bytes)
        guard let answer = readLine()?.lowercased(), ["y", "yes"].contains(answer) else {
            throw .usage("nothing was deleted", hint: "answer y, or add --yes")
        }
    }

    /// Deletes the items of a service, and the remembered failures of 'skr cached' with that name.
    ///
    /// - Returns: the number of items that existed.
    private static func clear(_ service: String, in store: SecretStore) throws(SecretStoreError) -> Int {
        var count = 0
        var items = Set(try store.identities())
        // During a first run of 'skr cached', and after a failure, there are only hidden items.
        items.formUnion(try store.backend.itemsWithHidden())
        for item in items where item.service == service {
            let hadFailure = item.kind == .cached ? try store.delete(item.failure) : false
            // Absent items are deleted too, because that ends a fetch that is in progress.
            let wasThere = try store.delete(item)
            if wasThere || hadFailure { count += 1 }
        }
        return count
    }
}
