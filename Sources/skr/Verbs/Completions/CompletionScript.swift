import Keyutils

/// The shells that have a completion script.
enum CompletionScript: String {
    case bash, zsh, fish

    /// The script, which never evaluates skr's answers.
    ///
    /// So no name can run a command: bash's `compgen -W` expands its words, and would run the one in `$(...)`.
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
