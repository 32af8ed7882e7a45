import CommandSupport
import Glibc
import SystemPackage

/// The setup of git, whose own `git config` changes its global configuration.
struct GitSetup: WritableSetup {
    private static let key = "credential.helper"

    /// A value of `credential.helper`, and its place as git prints it, such as `file:/etc/gitconfig`.
    private typealias Entry = (origin: String, value: String)

    /// The values in git's order; `nil` if git can't read its configuration.
    private let entries: [Entry]?
    /// The helpers that git uses: those after the last empty value.
    private let helpers: [String]

    init() {
        entries = Self.readEntries()
        let values = entries?.map(\.value) ?? []
        helpers = Array(values[(values.lastIndex { $0.isEmpty }.map { $0 + 1 } ?? 0)...])
    }

    func configuration(of user: SetupUser) -> String { "git's configuration" }

    func unspeakableWord(_ call: SetupCall) -> String? {
        ([call.linkPath] + call.options).first { Display.plain($0) != $0 }
    }

    func namesLinkByPath(_ state: ConfigurationState) -> Bool {
        if case .ours(let text) = state { text.hasPrefix("/") } else { false }
    }

    func state(for user: SetupUser) -> ConfigurationState {
        guard entries != nil else { return user.program("git") == nil ? .none : .unreadable("git config \(Self.key)") }
        if let own = helpers.last(where: Self.isOurs) {
            return .ours(Self.ownOptions(own) == nil ? Self.shown(own) : Display.plain(own))
        }
        return helpers.last.map { .other(Self.shown($0)) } ?? .none
    }

    func instructions(_ call: SetupCall) -> [String] { Self.lines(additions(for: call)) }

    func removalInstructions(_ call: SetupCall) -> [String] {
        let removals = removals(for: call.user)
        switch state(for: call.user) {
        case .ours where removals.isEmpty, .unreadable: return ["  git config --global --edit"]
        case .ours, .none, .other: return Self.lines(removals)
        }
    }

    func change(_ call: SetupCall, isRemoval: Bool) throws(SetupRefusal) {
        try run(isRemoval ? removals(for: call.user) : additions(for: call), for: call.user)
    }

    /// Returns the commands after which git calls us with these options; none if it does already.
    ///
    /// Without options, those of an earlier install stay.
    private func additions(for call: SetupCall) -> [[String]] {
        let own = helpers.compactMap(Self.ownOptions)
        let wanted = Self.program(call) + (call.options.isEmpty ? own.last ?? "" : call.shellOptions)
        let isInOtherForm = call.options.isEmpty && own.isEmpty && helpers.contains(where: Self.isOurs)
        guard !isInOtherForm, !helpers.contains(where: { $0 == wanted }) else { return [] }
        // The new helper comes first, so that git has one even if another command fails.
        return [["git", "config", "--global", "--add", Self.key, wanted]]
            + removals(for: call.user).filter { $0.last != wanted }
    }

    /// Returns the commands that remove our values from the user's files.
    private func removals(for user: SetupUser) -> [[String]] {
        Self.files(of: user).flatMap { file in
            let own = (entries ?? []).filter {
                Self.ownOptions($0.value) != nil && FilePath($0.origin) == FilePath("file:\(file)")
            }
            // Each command removes all equal values.
            return Set(own.map { Array($0.value.utf8) }).sorted { $0.lexicographicallyPrecedes($1) }.map {
                let value = String(decoding: $0, as: UTF8.self)
                return ["git", "config", "--file", file, "--fixed-value", "--unset-all", Self.key, value]
            }
        }
    }

    /// Returns the files that `git config --global` changes: the last one, or the first if only that exists.
    private static func files(of user: SetupUser) -> [String] {
        if let file = user.variable("GIT_CONFIG_GLOBAL") { return [file] }
        return ["\(user.variable("XDG_CONFIG_HOME") ?? user.path(".config"))/git/config", user.path(".gitconfig")]
    }

    private static func lines(_ commands: [[String]]) -> [String] {
        commands.map { "  " + $0.map(Display.shellWord).joined(separator: " ") }
    }

    private func run(_ commands: [[String]], for user: SetupUser) throws(SetupRefusal) {
        guard user.program("git") != nil else { throw SetupRefusal("git is not in PATH", .noCommand) }
        guard entries != nil else { throw SetupRefusal("git can't read it") }
        guard !commands.isEmpty else {
            throw SetupRefusal("its \(Self.key) is not one that 'skr helper install' has added")
        }
        for file in Self.files(of: user) {
            try LinkFolder.requireOwn(file, of: user)
            var found = stat()
            // git would replace a device, such as /dev/null, by a file.
            guard unsafe stat(file, &found) != 0 || found.st_mode & S_IFMT == S_IFREG else {
                throw SetupRefusal("\(Display.quoted(file)) is not a regular file")
            }
        }
        for command in commands {
            let exitCode: Int32
            do throws(CommandError) {
                exitCode = try ToolRun(command).exitCode
            } catch {
                throw SetupRefusal(error.message, error.exitCode)
            }
            guard exitCode == 0 else { throw SetupRefusal("git has printed the reason") }
        }
    }

    /// Returns our name if git finds the link by it, or else the link's path, which git passes to a shell.
    private static func program(_ call: SetupCall) -> String {
        guard let link = (try? call.link()) ?? nil, !call.user.isInPath(link.folder) else { return "skr" }
        return quoted(link.path)
    }

    /// Returns our name, or the quoted path of our link.
    private static func quoted(_ program: String) -> String {
        // If the first byte were a quote, git would take the value for a name.
        program.hasPrefix("/") ? "/\(Display.shellWord(String(Substring(program.utf8.dropFirst()))))" : program
    }

    /// Returns a warning for each other helper, because git asks all helpers and gives all of them the secrets.
    func remarks(_ call: SetupCall) -> [CommandError] {
        helpers.filter { !Self.isOurs($0) }.map { other in
            let name = Self.shown(other)
            let isPlain = name.utf8.allSatisfy { $0.isLetter || "-_".utf8.contains($0) }
            return .data(
                "git has another helper, \(name), and will continue to give it every secret"
                    + (name == "store" ? ", which it writes to disk" : ""),
                hint: isPlain
                    ? "to remove it: git config --global --unset-all \(Self.key) '^\(name)( .*)?$'"
                    : "to see it: git config --global --edit")
        }
    }

    /// Returns the options in a value that 'skr helper install' can have added; `nil` for any other value.
    ///
    /// It is our name or the path of our link, followed by options, in exactly the form that install writes.
    private static func ownOptions(_ value: String) -> String? {
        var parser = ShellWords(Array(value.utf8)[...])
        guard let program = (try? parser.next()) ?? nil,
            program == "skr" || (program.hasPrefix("/") && program.hasSuffix("/git-credential-skr"))
        else { return nil }
        var words: [String] = []
        while let word = (try? parser.next()) ?? nil { words.append(word) }
        var read = CommandWords(words)
        let options = HelperOptions.quoted(HelperOptions(&read).words)
        guard (try? read.check()) != nil, value == "\(quoted(program))\(options)" else { return nil }
        return options
    }

    private static func isOurs(_ value: String) -> Bool {
        if ownOptions(value) != nil { return true }
        let command = Substring(value.utf8.drop { $0 == UInt8(ascii: "!") })
        let program = command.split(separator: " ").first?.split(separator: "/").last
        return program == "skr" || program == "git-credential-skr"
    }

    /// Returns the name of a helper, but not a shell command, which could contain a secret.
    private static func shown(_ value: String) -> String {
        let word = value.prefix(before: " ")
        let isName = !word.isEmpty && word.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-_./".utf8.contains($0) }
        return isName ? String(word) : "a shell command"
    }

    /// Reads git's configuration without that of a repository.
    private static func readEntries() -> [Entry]? {
        let command = ["git", "--git-dir=/dev/null", "config", "-z", "--show-origin", "--get-all", key]
        // The exit code is 1 if the value is not set.
        guard let run = try? ToolRun(command), [0, 1].contains(run.exitCode) else { return nil }
        let texts = run.texts(endedBy: 0)
        return stride(from: 0, to: texts.count - 1, by: 2).map { (texts[$0], texts[$0 + 1]) }
    }
}
