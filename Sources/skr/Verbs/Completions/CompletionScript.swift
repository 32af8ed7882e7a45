import ArgumentParser

/// The shells that have a completion script.
enum CompletionScript: String, CaseIterable, ExpressibleByArgument {
    case bash, zsh, fish

    /// None of them evaluates what skr answers.
    ///
    /// The argument parser's own scripts would: bash's `compgen -W`, to which they hand it, expands it, and runs what a
    /// name like `$(...)` says.
    var text: String {
        let bytes =
            switch self {
            case .bash: PackageResources.completion_bash
            case .zsh: PackageResources.completion_zsh
            case .fish: PackageResources.completion_fish
            }
        return String(decoding: bytes, as: UTF8.self)
    }
}
