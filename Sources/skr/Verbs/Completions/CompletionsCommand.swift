import CommandSupport
import ArgumentParser

struct CompletionsCommand: VerbCommand, VerbAction {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Print a script with which your shell completes skr.",
        discussion: """
            It completes verbs, options, and the services and accounts in the keyring: names only, of the scope and \
            namespace that the line says. What has control characters is left out. The script asks the skr in PATH, so \
            it stays right when skr changes; where there is no keyring, it offers none of its names.

            INSTALL IT: run the lines of your shell once.
              bash
                echo '. <(skr completions bash)' >> ~/.bashrc
              bash, with the package bash-completion, which reads it at the first Tab
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
            For everybody, the folders are bash-completion/completions and zsh/site-functions in /usr/local/share, and \
            /etc/fish/completions.
            """
    )

    static let examples = """
        source <(skr completions bash)
        source <(skr completions zsh)
        skr completions fish | source
        """

    @Argument(help: "Which shell.")
    var shell: CompletionScript

    func run() throws {
        try Console.write(shell.text)
    }
}
