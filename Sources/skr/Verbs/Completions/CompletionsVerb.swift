import CommandSupport

struct CompletionsVerb: Verb {
    static let name = "completions"
    static let summary = "Print a completion script for your shell."
    static let details = """
        The script completes verbs, options, and the services and accounts in the keyring, in the scope and \
        namespace of the command line. It leaves out names with control characters. It asks the skr in PATH, so \
        it stays correct after an update of skr. It also completes skr-secrets and skr-stress.

        INSTALL IT: run the lines for your shell once.
          bash
            echo '. <(skr completions bash)' >> ~/.bashrc
          bash, with the package bash-completion, which loads it at the first Tab
            mkdir -p ~/.local/share/bash-completion/completions
            skr completions bash > ~/.local/share/bash-completion/completions/skr
          zsh
            mkdir -p ~/.local/share/zsh/site-functions
            skr completions zsh > ~/.local/share/zsh/site-functions/_skr
            echo 'fpath+=(~/.local/share/zsh/site-functions)' >> ~/.zshrc
            echo 'autoload -Uz compinit' >> ~/.zshrc
            echo compinit >> ~/.zshrc
          fish
            mkdir -p ~/.config/fish/completions
            skr completions fish > ~/.config/fish/completions/skr.fish
        For all users, the folders are bash-completion/completions and zsh/site-functions in /usr/local/share, and \
        /etc/fish/completions.
        """

    static let examples = """
        source <(skr completions bash)
        source <(skr completions zsh)
        skr completions fish | source
        """

    private let shell: String

    init(_ words: inout CommandWords) { shell = words.word("SHELL", "bash, zsh or fish.", .choice("bash|zsh|fish")) }

    func run() throws {
        guard let script = CompletionScript(rawValue: shell) else {
            throw CommandError.usage("no such shell: \(Display.quoted(shell))", hint: "use bash, zsh or fish")
        }
        try Console.write(script.text)
    }
}
