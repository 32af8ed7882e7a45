import Foundation
import TestSupport
import Testing
import Threads

/// The shells that skr and skr-secrets complete in, each with a way to start it without a user's settings.
enum CompletingShell: String, CaseIterable {
    case bash, zsh, fish

    /// Starts an interactive shell in which `skr` and `skr-secrets` are functions that show their words.
    ///
    /// The completion scripts call the real `skr`.
    var start: String {
        switch self {
        case .bash: #"exec bash --noprofile --rcfile "$SETTINGS/bash" -i"#
        case .zsh: #"ZDOTDIR=$SETTINGS exec zsh -d -i"#
        case .fish: #"exec fish --no-config -C "source $SETTINGS/fish" -i"#
        }
    }

    var settingsFile: String { self == .zsh ? ".zshrc" : rawValue }

    var settings: String {
        switch self {
        case .bash:
            """
            PS1='READY> '; unset HISTFILE; source <(skr completions bash)
            skr() { printf '<%s>' CALLED "$@"; printf 'E%s\\n' ND; }
            skr-secrets() { skr "$@"; }
            """
        case .zsh:
            """
            PS1='READY> '; autoload -Uz compinit; compinit -u -D; source <(skr completions zsh)
            skr() { printf '<%s>' CALLED "$@"; printf 'E%s\\n' ND }
            skr-secrets() { skr "$@" }
            """
        case .fish:
            """
            skr completions fish | source
            function fish_prompt; echo 'READY> '; end
            function skr; printf '<%s>' CALLED $argv; printf 'E%s\\n' ND; end
            function skr-secrets; skr $argv; end
            """
        }
    }
}

/// Presses Tab in each shell on a terminal, as a user does, and checks the words that the shell then passes to skr.
@Suite("Completions in the shells themselves", .tags(.anyUser))
struct ShellCompletionTests {
    static let names = [
        "api", "a b", "a:b:c", "a=b", "al@ex", "long/path", "x,y", "%d", "%n%F{red}", "é ü", "日本", "\"q", "it's",
        "a\"b'c d", "~root", "ex!cl", "!!", "star*", "?q", "[x]", "{a,b}", "a\\b", "a\\", "#hash", "^x", "=ls",
        "a;b|c&d", "<in", ">out", "$HOME", "${x}", "$(touch $TRAP)", "`touch $TRAP`", " lead", "trail ", "a  b",
    ]

    @Test("six random names complete to themselves, with and without quotes", arguments: CompletingShell.allCases)
    func someNames(shell: CompletingShell) throws {
        print("names to complete: seed \(testSeed)")
        var choices = Choices(seed: testSeed)
        try check(names: Array(Self.names.indices.shuffled(using: &choices).prefix(6)), in: shell)
    }

    @Test(
        "every name completes to itself, with and without quotes", .tags(.long), arguments: CompletingShell.allCases)
    func allNames(shell: CompletingShell) throws {
        try check(names: Array(Self.names.indices), in: shell)
    }

    private func check(names numbers: [Int], in shell: CompletingShell) throws {
        let calls = numbers.flatMap { number in
            ["", "\"", "'"].filter { Self.canComplete(Self.names[number], behind: $0, in: shell) }.map { quote in
                Call(
                    typed: "skr get --namespace n\(number) \(quote)\t",
                    words: ["get", "--namespace", "n\(number)", Self.names[number]])
            }
        }
        try check(calls, withNames: numbers, in: shell)
    }

    @Test(
        "verbs, options, values, accounts, references and skr-secrets are completed",
        arguments: CompletingShell.allCases)
    func kinds(shell: CompletingShell) throws {
        try check(
            [
                Call(typed: "skr del\t", words: ["delete"]),
                Call(typed: "skr list --js\t", words: ["list", "--json"]),
                Call(typed: "skr list --scope us\t", words: ["list", "--scope", "user"]),
                Call(typed: "skr list --scope=pe\t", words: ["list", "--scope=persistent"]),
                Call(typed: "skr help exp\t", words: ["help", "expire"]),
                Call(typed: "skr expire --ne\t", words: ["expire", "--never"]),
                Call(typed: "skr exec --inh\t", words: ["exec", "--inherited"]),
                Call(typed: "skr set --al\t", words: ["set", "--allow-empty"]),
                Call(typed: "skr get --namespace=n2 a:b\t", words: ["get", "--namespace=n2", "a:b:c"]),
                Call(typed: "skr get --namespace=n2 a:b:\t", words: ["get", "--namespace=n2", "a:b:c"]),
                Call(typed: "skr get --namespace=n4 al@\t", words: ["get", "--namespace=n4", "al@ex"]),
                Call(
                    typed: "skr get --namespace accounts db al\t",
                    words: ["get", "--namespace", "accounts", "db", "alice b"]),
                Call(
                    typed: "skr exec --namespace n2 --env T=sk\t",
                    words: ["exec", "--namespace", "n2", "--env", "T=skr://a%3Ab%3Ac"]),
                Call(typed: "skr exec -- printen\t", words: ["exec", "--", "printenv"]),
                Call(typed: "skr-secrets --stat\t", words: ["--status"]),
                Call(typed: "skr-secrets --scope pe\t", words: ["--scope", "persistent"]),
                Call(
                    typed: "skr-secrets --timeout 8h -- printen\t", words: ["--timeout", "8h", "--", "printenv"]),
            ], withNames: [2, 4], in: shell)
    }

    private struct Call {
        let typed: String
        let words: [String]
    }

    /// Returns whether the shell can complete the name safely.
    private static func canComplete(_ name: String, behind quote: String, in shell: CompletingShell) -> Bool {
        switch shell {
        case .bash: quote != "\"" || !name.contains("!")
        case .zsh: true
        case .fish: !name.hasPrefix("~")
        }
    }

    /// Types the calls, with items that have the names with these numbers.
    private func check(_ calls: [Call], withNames numbers: [Int], in shell: CompletingShell) throws {
        let settings = FileManager.default.temporaryDirectory.appendingPathComponent("skr-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: settings, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: settings) }
        try Data(shell.settings.utf8).write(to: settings.appendingPathComponent(shell.settingsFile))
        let trap = settings.appendingPathComponent("trap").path

        let items = numbers.map { number in
            let name = Self.names[number].replacingOccurrences(of: "'", with: #"'\''"#)
            return "skr set --allow-empty --namespace n\(number) -- '\(name)' </dev/null\n"
        }
        let script =
            items.joined() + "skr set --allow-empty --namespace accounts db 'alice b' </dev/null\n" + shell.start
        // Waits for END before the next call. A shell can draw its prompt several times, but a call prints END
        // only once.
        var answers = [TerminalRunner.Answer(prompt: "READY> ", keys: (calls.first?.typed ?? "") + "\r")]
        answers += calls.dropFirst().map { .init(prompt: "END", keys: $0.typed + "\r") }
        answers.append(.init(prompt: "END", keys: "exit\r"))
        let shown = try TerminalRunner().run(
            script, answering: answers,
            environment: [
                "SETTINGS": settings.path, "TRAP": trap, "HOME": settings.path, "TERM": "xterm", "LC_ALL": "C.UTF-8",
            ])
        for call in calls {
            let words = (["CALLED"] + call.words).map { "<\($0)>" }.joined()
            #expect(shown.contains(words + "END"), "\(shell) read \(call.typed) differently")
        }
        #expect(!FileManager.default.fileExists(atPath: trap))
    }
}
