import ArgumentParser

struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Print a script with which your shell completes skr.",
        discussion: """
            It completes verbs, options, and the services and accounts that are in the keyring: names only, of the scope \
            and namespace that the command line says. Names with control characters are left out. The script asks the \
            'skr' in PATH, so it stays right when skr changes.

            TO INSTALL IT, for yourself:
              mkdir -p ~/.local/share/bash-completion/completions                      # bash, with bash-completion
              skr completions bash > ~/.local/share/bash-completion/completions/skr
              echo 'eval "$(skr completions bash)"' >> ~/.bashrc                       # bash without it
              mkdir -p ~/.zfunc && skr completions zsh > ~/.zfunc/_skr                 # zsh; in ~/.zshrc before compinit:
              fpath=(~/.zfunc $fpath)
              mkdir -p ~/.config/fish/completions                                      # fish
              skr completions fish > ~/.config/fish/completions/skr.fish

            FOR EVERYBODY:
              skr completions bash > /usr/local/share/bash-completion/completions/skr
              skr completions zsh > /usr/local/share/zsh/site-functions/_skr
              skr completions fish > /usr/local/share/fish/vendor_completions.d/skr.fish

            EXAMPLES:
              source <(skr completions bash)        # try it, in bash or zsh
              skr completions fish | source         # in fish
            """
    )

    @Argument(help: "Which shell.")
    var shell: CompletionScript

    func run() throws {
        try Console.write(shell.text)
    }
}
