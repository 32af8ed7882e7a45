import CommandSupport
import Glibc

/// The setup of git, whose own `git config` changes its global configuration.
struct GitSetup: WritableSetup {
    private static let key = "credential.helper"

    /// The helpers that git uses: those after the last empty value; `nil` if git can't read its configuration.
    private let helpers: [String]?
    /// The helpers in the file that `git config --global` changes.
    private let globalHelpers: [String]

    init() {
        let values = Self.values([])
        helpers = values.map { $0.split(separator: "", omittingEmptySubsequences: false).last.map(Array.init) ?? [] }
        globalHelpers = values == nil ? [] : Self.values(["--global"]) ?? []
    }

    func unspeakableWord(_ call: SetupCall) -> String? {
        ([call.linkPath] + call.options).first { Display.plain($0) != $0 }
    }

    func namesLinkByPath(_ state: ConfigurationState) -> Bool {
        if case .ours(let text) = state { text.hasPrefix("/") } else { false }
    }

    func state(for user: SetupUser) -> ConfigurationState {
        guard let helpers else { return user.program("git") == nil ? .none : .unreadable("git config \(Self.key)") }
        if let own = helpers.last(where: Self.isOurs) {
            return .ours(Self.ownOptions(own) == nil ? Self.shown(own) : Display.plain(own))
        }
        return helpers.last.map { .other(Self.shown($0)) } ?? .none
    }

    func instructions(_ call: SetupCall) -> [String] { Self.lines(additions(for: call)) }

    func removalInstructions(_ call: SetupCall) -> [String] {
        if removals.isEmpty, case .ours = state(for: call.user) { return ["  git config --global --edit"] }
        return Self.lines(removals)
    }

    func write(_ call: SetupCall) throws(CommandError) { try Self.run(additions(for: call), for: call.user) }

    func remove(_ call: SetupCall) throws(CommandError) { try Self.run(removals, for: call.user) }

    /// Returns the commands after which git calls us with these options; none if it does already.
    ///
    /// Without options, those of an earlier install stay.
    private func additions(for call: SetupCall) -> [[String]] {
        let helpers = helpers ?? []
        let own = helpers.compactMap(Self.ownOptions)
        let wanted = Self.program(call) + (call.options.isEmpty ? own.last ?? "" : call.shellOptions)
        let isInOtherForm = call.options.isEmpty && own.isEmpty && helpers.contains(where: Self.isOurs)
        guard !isInOtherForm, !helpers.contains(where: { $0.utf8.elementsEqual(wanted.utf8) }) else { return [] }
        return removals + [["git", "config", "--global", "--add", Self.key, wanted]]
    }

    /// The commands that remove our values from the file that `git config --global` changes.
    private var removals: [[String]] {
        var removed: [String] = []
        for value in globalHelpers where Self.ownOptions(value) != nil {
            // Each command removes all equal values.
            if !removed.contains(where: { $0.utf8.elementsEqual(value.utf8) }) { removed.append(value) }
        }
        return removed.map { ["git", "config", "--global", "--fixed-value", "--unset-all", Self.key, $0] }
    }

    private static func lines(_ commands: [[String]]) -> [String] {
        commands.map { "  " + $0.map(Display.shellWord).joined(separator: " ") }
    }

    private static func run(_ commands: [[String]], for user: SetupUser) throws(CommandError) {
        var refusal = refusal(of: commands, for: user)
        for command in commands where refusal == nil {
            if try ToolRun(command).exitCode != 0 { refusal = SetupRefusal("git has printed the reason") }
        }
        if let refusal { throw CommandError(refusal, of: "git's configuration") }
    }

    /// Returns why the commands can't be run with certainty; `nil` if they can.
    private static func refusal(of commands: [[String]], for user: SetupUser) -> SetupRefusal? {
        if commands.isEmpty { return SetupRefusal("its \(key) is not in the form that 'skr helper install' adds") }
        if user.program("git") == nil { return SetupRefusal("git is not in PATH", .noCommand) }
        let file = user.variable("GIT_CONFIG_GLOBAL")
        let folders = [user.home, user.variable("XDG_CONFIG_HOME"), file.map(LinkFolder.parent)].compactMap(\.self)
        if let other = folders.first(where: { !LinkFolder.isOwn($0) }) {
            return SetupRefusal("\(Display.quoted(other)) belongs to another user", .noPermission)
        }
        var found = stat()
        // git would replace a device, such as /dev/null, by a file.
        if let file, unsafe stat(file, &found) == 0, found.st_mode & S_IFMT != S_IFREG {
            return SetupRefusal("\(Display.quoted(file)) is not a regular file")
        }
        return nil
    }

    /// Returns our name if git finds the link by it, or else the link's path, which git passes to a shell.
    private static func program(_ call: SetupCall) -> String {
        guard let link = (try? call.link()) ?? nil, !call.user.isInPath(link.folder) else { return "skr" }
        // If the first byte were a quote, git would take the value for a name.
        return "/\(Display.shellWord(String(link.path.dropFirst())))"
    }

    /// Returns a warning for each other helper, because git asks all helpers and gives all of them the secrets.
    func remarks(_ call: SetupCall) -> [CommandError] {
        (helpers ?? []).filter { !Self.isOurs($0) }.map { other in
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

    /// Returns the options in a value of the form that 'skr helper install' adds; `nil` for any other value.
    ///
    /// It is our name or the path of our link, followed by options.
    private static func ownOptions(_ value: String) -> String? {
        let isPath = value.hasPrefix("/")
        guard let program = value.firstRange(of: isPath ? "/git-credential-skr" : "skr") else { return nil }
        // The path can be in quotes.
        let rest = value[program.upperBound...].drop { isPath && $0 == "'" }
        guard isPath || program.lowerBound == value.startIndex, rest.isEmpty || rest.first == " " else { return nil }
        return String(rest)
    }

    private static func isOurs(_ value: String) -> Bool {
        if ownOptions(value) != nil { return true }
        let program = value.drop { $0 == "!" }.split(separator: " ").first?.split(separator: "/").last
        return program == "skr" || program == "git-credential-skr"
    }

    /// Returns the name of a helper, but not a shell command, which could contain a secret.
    private static func shown(_ value: String) -> String {
        let word = value.prefix { $0 != " " }
        let isName = !word.isEmpty && word.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-_./".utf8.contains($0) }
        return isName ? String(word) : "a shell command"
    }

    /// Returns the values of `credential.helper`; `nil` if git can't read its configuration.
    private static func values(_ options: [String]) -> [String]? {
        guard let run = try? ToolRun(["git", "config", "-z"] + options + ["--get-all", key]) else { return nil }
        // The exit code is 1 if the value is not set.
        return [0, 1].contains(run.exitCode) ? run.texts(endedBy: 0) : nil
    }
}
