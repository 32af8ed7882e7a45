import CommandSupport
import Keyutils

/// The setup of git, whose global configuration lists its helpers.
///
/// Before an edit is made, git reads the edited text. It must find one helper added, changed or removed, and
/// no other change.
struct GitSetup: FileSetup {
    private static let key = "credential.helper"

    /// Returns the file that `git config --global` changes.
    ///
    /// git also reads another file. If only that one makes git call us, this method returns it instead.
    func path(for user: SetupUser) -> String {
        if let path = user.variable("GIT_CONFIG_GLOBAL") { return path }
        let (usual, other) = (
            user.path(".gitconfig"), (user.variable("XDG_CONFIG_HOME") ?? user.path(".config")) + "/git/config"
        )
        guard user.isThere(other) else { return usual }
        guard user.isThere(usual) else { return other }
        let isOnlyInOther =
            !Self.isNamed(by: ["--file", usual]) && Self.isNamed(by: ["--file", other]) && Self.isNamed(by: [])
        return isOnlyInOther ? other : usual
    }

    /// Returns whether git calls us, according to the values that it reads with these options.
    private static func isNamed(by options: [String]) -> Bool {
        guard let values = try? values(options) else { return false }
        // An empty value removes the values before it.
        return values.split(separator: "", omittingEmptySubsequences: false).last?.contains(where: isOurs) ?? false
    }

    func linkFolder(for user: SetupUser) -> String? { nil }

    func unspeakableWord(_ call: SetupCall) -> String? {
        ([call.linkPath] + call.options).first { Display.plain($0) != $0 }
    }

    func namesLinkByPath(_ state: ConfigurationState) -> Bool {
        if case .ours(let text) = state { text.hasPrefix("/") } else { false }
    }

    func newFile(_ call: SetupCall) -> String { GitLines.newFile(Self.program(call) + call.shellOptions) }

    func instructions(_ call: SetupCall) -> [String] {
        let wanted = Self.program(call) + call.shellOptions
        return ["  git config --global --add \(Self.key) \(Display.shellWord(wanted))"]
    }

    func removalInstructions(_ call: SetupCall) -> [String] {
        let own = (try? Self.values(["--global"]))?.compactMap(GitHelperValue.init) ?? []
        return own.isEmpty ? ["  git config --global --edit"] : ["  \(Self.removal(of: GitHelperValue.pattern(own)))"]
    }

    /// Returns our name if git finds the link by it, or else the link's path, which git passes to a shell.
    private static func program(_ call: SetupCall) -> String {
        guard let link = (try? call.link()) ?? nil, !call.user.isInPath(link.folder) else { return "skr" }
        // If the first byte were a quote, git would take the value for a name.
        return "/\(Display.shellWord(String(link.path.dropFirst())))"
    }

    func state(for user: SetupUser) -> ConfigurationState {
        guard let values = try? Self.values([]) else {
            return user.program("git") == nil ? .none : .unreadable("git config \(Self.key)")
        }
        let effective = values.split(separator: "", omittingEmptySubsequences: false).last ?? []
        if let own = effective.last(where: Self.isOurs) {
            return .ours(GitHelperValue(own) == nil ? Self.shown(own) : Display.plain(own))
        }
        return effective.last.map { .other(Self.shown($0)) } ?? .none
    }

    func edit(_ text: RawSpan, _ call: SetupCall) throws(SetupRefusal) -> TextEdit? {
        let entries = try GitEntries(of: text)
        let own = entries.effective.compactMap(GitHelperValue.init)
        let wanted = Self.program(call) + (call.options.isEmpty ? own.last?.options ?? "" : call.shellOptions)
        let isOtherwise = own.isEmpty && call.options.isEmpty && entries.effective.contains(where: Self.isOurs)
        guard !entries.effective.contains(wanted), !isOtherwise else { return nil }
        let edit: TextEdit
        let expected: TextEdit
        if let old = own.last?.text, let entry = entries.helpers.last(where: { $0.value == old }) {
            guard let line = GitLines.line(of: old, in: text) else { throw Self.otherForm }
            edit = TextEdit(line, GitLines.line(wanted))
            expected = TextEdit(entry.range, GitEntries.entry(wanted))
        } else {
            edit = GitLines.addition(of: wanted, to: text)
            expected = TextEdit(entries.output.count..<entries.output.count, GitEntries.entry(wanted))
        }
        try edit.apply(to: text).withBytes { after throws(SetupRefusal) in try entries.require(expected, after: after) }
        return edit
    }

    func removal(from text: RawSpan) throws(SetupRefusal) -> SetupRemoval? {
        let entries = try GitEntries(of: text)
        guard
            let own = entries.helpers.last(where: { helper in
                GitHelperValue(helper.value) != nil && GitLines.line(of: helper.value, in: text) != nil
            })
        else {
            guard entries.helpers.contains(where: { GitHelperValue($0.value) != nil }) else { return nil }
            throw Self.otherForm
        }
        guard case .text(let rest) = GitLines.removal(of: own.value, from: text) else { return .wholeFile }
        return try rest.bytes.withBytes { bytes throws(SetupRefusal) in
            try entries.require(TextEdit(own.range, ""), after: bytes)
            // Earlier versions could add the helper several times.
            do throws(SetupRefusal) {
                return try removal(from: bytes) ?? .text(rest)
            } catch {
                return .text(rest)
            }
        }
    }

    private static var otherForm: SetupRefusal {
        .unclear(
            "its \(key) is not in the form that 'skr helper install' writes",
            hint: "edit it by hand: git config --global --edit")
    }

    /// Returns a warning for each other helper, because git asks all helpers and gives all of them the secrets.
    func remarks(on text: RawSpan, _ call: SetupCall) -> [CommandError] {
        let values = (try? GitEntries(of: text))?.effective ?? []
        return values.filter { !Self.isOurs($0) }.map { other in
            let name = Self.shown(other)
            let isPlain = name.utf8.allSatisfy { $0.isLetter || "-_".utf8.contains($0) }
            return .data(
                "git has another helper, \(name), and will continue to give it every secret"
                    + (name == "store" ? ", which it writes to disk" : ""),
                hint: isPlain
                    ? "to remove it: \(Self.removal(of: "^\(name)( .*)?$"))" : "to see it: git config --global --edit")
        }
    }

    private static func removal(of pattern: String) -> String {
        "git config --global --unset-all \(key) \(Display.shellWord(pattern))"
    }

    private static func isOurs(_ value: String) -> Bool {
        if GitHelperValue(value) != nil { return true }
        let program = value.drop { $0 == "!" }.split(separator: " ").first?.split(separator: "/").last
        return program == "skr" || program == "git-credential-skr"
    }

    private static let shellCommand = "a shell command"

    /// Returns the name of a helper, but not a shell command, which could contain a secret.
    private static func shown(_ value: String) -> String {
        let word = value.prefix { $0 != " " }
        let isName = !word.isEmpty && word.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-_./".utf8.contains($0) }
        return isName ? String(word) : shellCommand
    }

    private static func values(_ options: [String]) throws(CommandError) -> [String] {
        let run = try ToolRun(["git", "config", "-z"] + options + ["--get-all", key])
        switch run.exitCode {
        case 0: return run.texts(endedBy: 0)
        // The value is not set.
        case 1: return []
        default: throw .data("git can't read its configuration", hint: "to edit it: git config --global --edit")
        }
    }
}

extension SetupUser {
    func isThere(_ path: String) -> Bool { (try? ConfigurationFile(path).text == nil) != true }
}
