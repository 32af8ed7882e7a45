import CommandSupport
import SessionKeyring

struct SourceVerb: Verb {
    static let name = "source"
    static let summary = "List the sources: the commands that print secrets."
    static var details: String {
        """
        A line of the file ~/.config/skr/sources declares a command that prints a secret. If the secret isn't \
        stored, 'get', 'exec', 'inject', 'env' and the helpers run the command once for all processes that ask, \
        store its output, and answer with it.

        A line is SERVICE [ACCOUNT] [OPTIONS] -- COMMAND. With --oauth, it has no COMMAND: 'skr help login'. \
        Words are split and quoted as in a shell. An unquoted \
        $, *, ~ or pipe is an error; let a shell run such a command: sh -c '...'. A '#' begins a comment.

        OPTIONS OF A LINE:
        \(HelpText.options { _ = SourceOptions(&$0) })
        --timeout or --timeout-from-json is required, but not with --oauth; with both, the earlier end counts.

        COMMAND runs in the home folder, with the environment of the program that asks, but without SKR_SCOPE, \
        SKR_NAMESPACE and SKR_TIMEOUT. It reads from /dev/null, unless standard input is a terminal.

        A stored secret is used instead of its source; after 'skr delete', the next reader runs COMMAND. \
        The file, its folders and the links to it must belong to you or root, and others must not be able to \
        write to them. The last line, too, ends with a newline.

        SKR_SOURCES=none turns sources off; SKR_SOURCES=FILE names another file.

        In a pipe, each line has five fields with tabs between them: service, account, command, timeout, state. \
        The state is stored, failed (and not run again yet), or '-' for not stored.
        """
    }

    static let examples = """
        mkdir -p ~/.config/skr
        echo 'api --timeout 8h -- pass api' >> ~/.config/skr/sources
        skr source
        skr source test api
        """

    static func verbs(_ visit: (any Verb.Type) -> Bool) -> Bool { visit(SourceTestVerb.self) }

    private let isJSON: Bool

    init(_ words: inout CommandWords) { isJSON = words.flag("--json", "Print an array of objects, for programs.") }

    /// Lists the sources with their states.
    func run() throws {
        var rows: [SourceRow] = []
        var problem: CommandError?
        for line in try SourcesFile.read()?.all() ?? [] {
            do throws(CommandError) {
                rows.append(try SourceRow(try line.get()))
            } catch {
                if let problem { Console.report(problem) }
                problem = error
            }
        }
        let titles: [TextTable.Column] = [
            .init("SERVICE", isNumber: false, rank: 4, isName: true),
            .init("ACCOUNT", isNumber: false, rank: 1, isName: true),
            .init("COMMAND", isNumber: false, rank: 2, isName: true), .init("TIMEOUT", rank: 0),
            .init("STATE", isNumber: false, rank: 3),
        ]
        try Listing.show(
            rows, isJSON: isJSON, titles: titles,
            nothing: try SourcesFile.usualPath().map { "no sources in \(Display.quoted($0))" }
                ?? "sources are turned off")
        if let problem { throw problem }
    }
}

struct SourceTestVerb: Verb {
    static let name = "test"
    static let summary = "Run a source and show the size and lifetime of its secret."
    static let details = """
        Runs the command in any case. Nothing is stored, and the secret is not shown. For a line with --oauth, this \
        refreshes the login, and deletes the stored token, which the server may no longer accept.
        """

    static let examples = """
        skr source test api
        """

    private let target: TargetWords

    init(_ words: inout CommandWords) { target = TargetWords(&words) }

    /// Runs a source, and shows the size and the lifetime of its secret.
    func run() throws {
        let target = try target.target()
        let (file, scope, namespace) = (try SourcesFile.read(), target.place.scope, target.place.namespace)
        var item = target.exactItem
        let accounts = try file?.items(of: target.service, scope: scope, namespace: namespace) ?? []
        if target.account == nil, accounts.count == 1 { item = accounts[0] }
        guard let source = try file?.source(of: item, scope: scope, namespace: namespace) else {
            throw CommandError(
                exitCode: .noItem, message: "\(Display.name(of: item)): no such source\(target.place.remark)",
                hint: "'skr source' lists them")
        }
        if source.oauth.isGiven { _ = try target.place.store().delete(item) }
        // A store of this process alone: nobody else gets the secret, and a stored one doesn't count.
        let store = try SecretStore(.process, namespace: namespace)
        let (secret, _) = try source.secret(in: store, of: target.place)
        let lifetime =
            switch try store.attributes(of: item)?.expiry {
            case .never: "would be stored until its scope ends"
            case .after(let left): "would be stored for \(DurationText.rounded(left.atLeast))"
            case .unknown: "would be stored with a timeout"
            case nil: "would not be stored: it ends too soon"
            }
        try Console.writeLine("\(secret.count) bytes; \(lifetime)")
    }
}

/// A source and its state: stored, failed or `-`.
private struct SourceRow: ListedRow {
    let source: Source
    let state: String

    init(_ source: Source) throws(CommandError) {
        self.source = source
        state = try CommandError.translating {
            let store = try SecretStore(source.scope.secretScope, namespace: source.namespace)
            if try store.contains(source.item) { return "stored" }
            return try store.contains(source.item.failure) ? "failed" : "-"
        }
    }

    var columns: [String] {
        let words = source.oauth.issuer.map { ["--oauth", $0] } ?? source.command
        let command = words.map(Display.shellWord).joined(separator: " ")
        let timeout = source.timeout.map { $0.duration.map(DurationText.rounded) ?? "never" }
        let path = source.oauth.isGiven ? nil : source.lifetimePath
        let lifetime = [timeout, path.map { "from \($0)" }].compactMap(\.self).joined(separator: ", ")
        return [source.item.service, source.item.account, command, lifetime, state].map(Display.plain)
    }

    var json: JSONValue {
        .object([
            "service": .string(source.item.service), "account": .string(source.item.account),
            "command": .array(source.command.map(JSONValue.string)), "line": .integer(Int64(source.line)),
            "scope": .string(source.scope.rawValue), "namespace": .string(source.namespace),
            "timeout": JSONValue(source.timeout?.duration.map { $0.components.seconds }),
            "timeoutFromJSON": JSONValue(source.lifetimePath), "isStored": .bool(state == "stored"),
            "hasFailed": .bool(state == "failed"),
        ])
    }
}
