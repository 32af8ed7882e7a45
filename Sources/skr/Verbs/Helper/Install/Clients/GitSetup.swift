import CommandSupport
import CredentialHelpers
import Keyutils

/// git, which changes its configuration itself.
struct GitSetup: ClientSetup {
    private static let key = "credential.helper"

    func instructions(_ call: SetupCall) -> [String] {
        let wanted = Self.program(call) + call.shellOptions
        return ["  git config --global --add \(Self.key) \(Display.shellWord(wanted))"]
    }

    func removalInstructions(_ call: SetupCall) -> [String] {
        let own = (try? Self.values(["--global", "--get-all"]))?.compactMap(GitHelperValue.init) ?? []
        return own.isEmpty ? ["  git config --global --edit"] : ["  \(Self.removal(of: GitHelperValue.pattern(own)))"]
    }

    /// Our name where git finds the link by it, else the link's path, which git has a shell read.
    private static func program(_ call: SetupCall) -> String {
        guard let link = (try? call.link()) ?? nil, !call.user.isInPath(link.folder) else { return "skr" }
        // Where the first byte is a quote, git takes it for a name.
        return "/\(Display.shellWord(String(link.path.dropFirst())))"
    }

    func state(for user: SetupUser) -> ConfigurationState {
        guard let values = try? Self.values(["--get-all"]) else {
            return user.program("git") == nil ? .none : .unreadable("git config \(Self.key)")
        }
        if let own = values.last(where: Self.isOurs) { return .ours(Display.plain(own)) }
        return values.last.map { .other(Self.shown($0)) } ?? .none
    }

    func write(_ call: SetupCall) throws(CommandError) -> [String] {
        let values = try Self.values(["--global", "--get-all"])
        let own = values.compactMap(GitHelperValue.init)
        let wanted = Self.program(call) + (call.options.isEmpty ? own.last?.options ?? "" : call.shellOptions)
        warn(ofOthers: values.filter { !Self.isOurs($0) })
        let isOtherwise = own.isEmpty && call.options.isEmpty && values.contains(where: Self.isOurs)
        guard !values.contains(wanted), !isOtherwise else { return ["git's \(Self.key) is there already"] }
        try Self.change(
            own.isEmpty
                ? ["--add", Self.key, wanted] : ["--replace-all", Self.key, wanted, GitHelperValue.pattern(own)])
        return ["\(own.isEmpty ? "added to" : "changed") git's configuration: \(Self.key) = \(Display.plain(wanted))"]
    }

    func remove(_ call: SetupCall) throws(CommandError) -> [String] {
        let own = try Self.values(["--global", "--get-all"], withReset: true).compactMap(GitHelperValue.init)
        guard !own.isEmpty else { return [] }
        try Self.change(["--unset-all", Self.key, GitHelperValue.pattern(own)])
        try removeEmptySection(of: call.user)
        return own.map { "took \(Self.key) = \(Display.plain($0.text)) out of git's configuration" }
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
        "git config --global --unset-all \(key) \(Display.shellWord(pattern))"
    }

    private static func isOurs(_ value: String) -> Bool {
        if GitHelperValue(value) != nil { return true }
        let program = value.drop { $0 == "!" }.split(separator: " ").first?.split(separator: "/").last
        return program == "skr" || program == "git-credential-skr"
    }

    /// A helper that may be a shell command, in which anything may stand.
    private static func shown(_ value: String) -> String {
        if value.hasPrefix("!") { return "a shell command" }
        return Display.plain(value.split(separator: " ").first.map(String.init) ?? "")
    }

    /// - Parameter withReset: whether those count too that an empty one behind them takes out of git's list.
    private static func values(_ options: [String], withReset: Bool = false) throws(CommandError) -> [String] {
        let run = try ToolRun(["git", "config"] + options + [key])
        switch run.exitCode {
        case 0:
            let start = withReset ? nil : run.lines.lastIndex { $0.isEmpty }.map { $0 + 1 }
            return Array(run.lines[(start ?? 0)...])
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
