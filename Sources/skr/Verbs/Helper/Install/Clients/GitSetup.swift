import CommandSupport
import CredentialHelpers
import Keyutils

/// git, which changes its configuration itself.
struct GitSetup: ClientSetup {
    private static let key = "credential.helper"
    /// What 'skr helper install' adds, with any options.
    private static let ours = "^skr( .*)?$"

    func instructions(_ call: SetupCall) -> [String] {
        ["  git config --global --add \(Self.key) \(Display.shellWord("skr\(call.options)"))"]
    }

    func removalInstructions(_ call: SetupCall) -> [String] { ["  \(Self.removal(of: Self.ours))"] }

    func state(for user: SetupUser) -> ConfigurationState {
        guard let values = try? Self.values(["--get-all"]) else {
            return user.program("git") == nil ? .none : .unreadable("git config \(Self.key)")
        }
        if let own = values.last(where: Self.isOurs) { return .ours(Display.plain(own)) }
        return values.last.map { .other(Self.shown($0)) } ?? .none
    }

    func write(_ call: SetupCall) throws(CommandError) -> [String] {
        let values = try Self.values(["--global", "--get-all"])
        let wanted = "skr\(call.options)"
        warn(ofOthers: values.filter { !Self.isOurs($0) })
        if values.contains(wanted) || (call.options.isEmpty && values.contains(where: Self.isOurs)) {
            return ["git's \(Self.key) is there already"]
        }
        let isThere = values.contains { $0 == "skr" || $0.hasPrefix("skr ") }
        let words = isThere ? ["--replace-all", Self.key, wanted, Self.ours] : ["--add", Self.key, wanted]
        try Self.change(words)
        return ["\(isThere ? "changed" : "added to") git's configuration: \(Self.key) = \(Display.plain(wanted))"]
    }

    func remove(_ call: SetupCall) throws(CommandError) -> [String] {
        let values = try Self.values(["--global", "--get-all"])
        guard values.contains(where: { $0 == "skr" || $0.hasPrefix("skr ") }) else { return [] }
        try Self.change(["--unset-all", Self.key, Self.ours])
        try removeEmptySection(of: call.user)
        return ["took \(Self.key) = skr out of git's configuration"]
    }

    /// git leaves a section behind that it has made itself, where a comment stands before it.
    private func removeEmptySection(of user: SetupUser) throws(CommandError) {
        let usual = user.path(".gitconfig")
        let other = (user.variable("XDG_CONFIG_HOME") ?? user.path(".config")) + "/git/config"
        let own = try ConfigurationFile(usual).text == nil ? other : usual
        let file = try ConfigurationFile(user.variable("GIT_CONFIG_GLOBAL") ?? own)
        let section = Array("\n[credential]\n".utf8)
        try file.text?.bytes.withBytes { text throws(CommandError) in
            let start = text.byteCount - section.count
            guard start >= 0, text.extracting(start..<text.byteCount).starts(with: section) else { return }
            // The newline before it stays.
            try file.write(text.extracting(0...start))
        }
    }

    /// git asks and tells all of them.
    private func warn(ofOthers others: [String]) {
        for other in others where !other.isEmpty {
            let name = Self.shown(other)
            let word = name.split(separator: " ").first.map(String.init) ?? name
            let isPlain = !other.hasPrefix("!") && word.utf8.allSatisfy { $0.isLetter || "-_".utf8.contains($0) }
            Console.warn(
                .data(
                    "git has another helper, \(name), and goes on to give it every secret"
                        + (word == "store" ? ", which it writes to disk" : ""),
                    hint: isPlain
                        ? "to remove it: \(Self.removal(of: "^\(word)( .*)?$"))"
                        : "git config --global --edit shows it"))
        }
    }

    private static func removal(of pattern: String) -> String {
        "git config --global --unset-all \(key) '\(pattern)'"
    }

    private static func isOurs(_ value: String) -> Bool {
        let program = value.drop { $0 == "!" }.split(separator: " ").first?.split(separator: "/").last
        return program == "skr" || program == "git-credential-skr"
    }

    /// A helper that may be a shell command, in which anything may stand.
    private static func shown(_ value: String) -> String {
        if value.hasPrefix("!") { return "a shell command" }
        return Display.plain(value.split(separator: " ").first.map(String.init) ?? "")
    }

    private static func values(_ options: [String]) throws(CommandError) -> [String] {
        let run = try ToolRun(["git", "config"] + options + [key])
        switch run.exitCode {
        case 0: return run.lines
        // There is none.
        case 1: return []
        default: throw failure(run.exitCode, "read")
        }
    }

    private static func change(_ words: [String]) throws(CommandError) {
        let run = try ToolRun(["git", "config", "--global"] + words)
        guard run.exitCode == 0 else { throw failure(run.exitCode, "change") }
    }

    private static func failure(_ code: Int32, _ what: String) -> CommandError {
        guard code != ExitCode.noCommand.rawValue else {
            return CommandError(
                exitCode: .noCommand, message: "there is no git in PATH",
                hint: "install it, or leave out --write-config")
        }
        return .data(
            "git can't \(what) its configuration", hint: "git has said why; 'git config --global --edit' opens it")
    }
}
