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

            INSTALL IT, for everybody in /usr/local/share instead of ~/.local/share:
              bash  skr completions bash \\
                      > ~/.local/share/bash-completion/completions/skr
                    or, without the package bash-completion, in ~/.bashrc:
                    source <(skr completions bash)
              zsh   skr completions zsh > ~/.local/share/zsh/site-functions/_skr
                    and in ~/.zshrc, before compinit:
                    fpath=(~/.local/share/zsh/site-functions $fpath)
              fish  skr completions fish \\
                      > ~/.local/share/fish/vendor_completions.d/skr.fish
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
