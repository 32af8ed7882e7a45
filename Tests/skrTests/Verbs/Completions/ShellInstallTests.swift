import Foundation
import Testing

/// Runs the lines of `skr help completions` unchanged in an empty home, and then presses Tab.
@Suite("The documented installation of completions")
struct ShellInstallTests {
    /// The headings in the help.
    ///
    /// Each stands above the lines for one shell.
    enum Way: String, CaseIterable {
        case bash
        case bashCompletion = "bash, with the package bash-completion"
        case zsh
        case fish

        /// The command that runs the lines without a user's settings.
        var runner: String {
            switch self {
            case .bash, .bashCompletion: "bash --noprofile --norc"
            case .zsh: "zsh -f"
            case .fish: "fish --no-config"
            }
        }

        /// The user's own settings for this test: a prompt, and a `skr` function that shows its words.
        var settings: (file: String, text: String) {
            switch self {
            case .bash: (".bashrc", Self.bashSettings)
            // The .bashrc that Debian gives to new users does the same.
            case .bashCompletion: (".bashrc", ". /usr/share/bash-completion/bash_completion\n" + Self.bashSettings)
            case .zsh: (".zshrc", "PS1='READY> '\nskr() { printf '<%s>' CALLED \"$@\"; printf 'E%s\\n' ND }\n")
            case .fish:
                (
                    ".config/fish/config.fish",
                    """
                    function fish_prompt; echo 'READY> '; end
                    function skr; printf '<%s>' CALLED $argv; printf 'E%s\\n' ND; end

                    """
                )
            }
        }

        private static let bashSettings = """
            PS1='READY> '; unset HISTFILE
            skr() { printf '<%s>' CALLED "$@"; printf 'E%s\\n' ND; }

            """

        var shell: String {
            switch self {
            case .bash, .bashCompletion: "bash -i"
            case .zsh: "zsh -i"
            case .fish: "fish -i"
            }
        }
    }

    /// Returns the lines below this heading in the help.
    private func lines(for way: Way) throws -> [String] {
        let help = try CommandRunner().run("help", "completions", environment: ["COLUMNS": "300"]).output
        var lines: [String] = []
        var isHere = false
        for line in help.split(separator: "\n") {
            let indent = line.prefix { $0 == " " }.count
            if indent == 2 {
                isHere =
                    way == .bashCompletion
                    ? line.dropFirst(2).hasPrefix(way.rawValue) : line.dropFirst(2) == way.rawValue
            } else if indent == 4, isHere {
                lines.append(String(line.dropFirst(4)))
            } else if indent < 2 {
                isHere = false
            }
        }
        return lines
    }

    @Test("completions work in an empty home, from the next shell on", arguments: Way.allCases)
    func install(way: Way) throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("skr-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        let lines = try lines(for: way)
        #expect(!lines.isEmpty)
        let script = #"""
            unset XDG_DATA_HOME XDG_CONFIG_HOME XDG_CACHE_HOME ZDOTDIR
            printf s | skr set api
            $RUNNER -c "$LINES_OF_HELP" && printf %s "$SETTINGS_TEXT" >> "$HOME/$SETTINGS_FILE" && exec $SHELL_TO_START
            """#
        let shown = try TerminalRunner().run(
            script,
            answering: [
                .init(prompt: "READY> ", keys: "skr del\t\r"), .init(prompt: "END", keys: "skr get a\t\r"),
                .init(prompt: "END", keys: "exit\r"),
            ],
            environment: [
                "HOME": home.path, "TERM": "xterm", "LC_ALL": "C.UTF-8", "RUNNER": way.runner,
                "LINES_OF_HELP": lines.joined(separator: "\n"), "SETTINGS_FILE": way.settings.file,
                "SETTINGS_TEXT": way.settings.text, "SHELL_TO_START": way.shell,
            ])
        #expect(shown.contains("<CALLED><delete>END"), "\(shown)")
        #expect(shown.contains("<CALLED><get><api>END"), "\(shown)")
    }
}
