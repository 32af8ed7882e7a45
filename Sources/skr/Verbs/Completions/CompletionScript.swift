import ArgumentParser
import Keyutils

/// The shells that have a completion script.
enum CompletionScript: String, CaseIterable, ExpressibleByArgument {
    case bash, zsh, fish

    /// The script, which never evaluates skr's answers.
    ///
    /// The argument parser's own scripts would: they pass the answers to bash's `compgen -W`, which expands them and so
    /// runs the command in a name such as `$(...)`.
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
