import CommandSupport

/// A program that asks a helper for its secrets, as a verb of `skr helper`.
///
/// The compiler names everything that a new client lacks.
protocol HelperClient: Verb {
    /// How the client starts its helper, and the name of the link if it uses one.
    static var start: HelperStart { get }
    /// Where the client shows its user an error.
    static var errors: HelperErrors { get }

    /// Returns the setup that makes a program use the helper.
    ///
    /// - Parameter program: the client's name or one of its aliases.
    static func setup(of program: String) -> any ClientSetup
}

/// The way in which a client starts its helper.
enum HelperStart {
    /// By a command line in the client's configuration.
    case commandLine
    /// By a link with this name, which the client finds in PATH or by the path in its configuration.
    case link(String, isFoundInPath: Bool, takesOptions: Bool)
    /// By a link for each registry, named with this prefix and the registry; such a helper gets no words.
    case linkPerRegistry(String)

    /// Returns the name of the link; `nil` if there isn't one.
    func linkName(registry: String?) -> String? {
        switch self {
        case .commandLine: nil
        case .link(let name, _, _): name
        case .linkPerRegistry(let start): registry.map { start + $0 }
        }
    }

    var isFoundInPath: Bool {
        if case .link(_, isFoundInPath: true, _) = self { true } else { false }
    }

    /// Whether the client's configuration can contain options for the helper.
    var takesOptions: Bool {
        switch self {
        case .commandLine: true
        case .link(_, _, let takesOptions): takesOptions
        case .linkPerRegistry: false
        }
    }
}

/// The place where a client shows its user an error.
enum HelperErrors {
    case onStandardError
    /// On standard error, which the client reads as a part of the answer. So a helper that succeeds prints no warning.
    case mixedWithAnswer
    /// On standard output, with the exit status 1.
    case onStandardOutput

    /// Reports the error where the client shows it.
    ///
    /// - Returns: the exit status.
    func report(_ error: CommandError) -> Int32 {
        switch self {
        case .onStandardError, .mixedWithAnswer:
            Console.report(error)
            return error.exitCode.rawValue
        case .onStandardOutput:
            try? Console.writeLine("skr: " + Display.plain(error.message + (error.hint.map { " (\($0))" } ?? "")))
            return 1
        }
    }
}
