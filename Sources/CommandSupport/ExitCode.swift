/// The exit codes of the commands; 64 to 77 are the codes of `sysexits.h`.
package enum ExitCode: Int32, CaseIterable {
    case done = 0
    case noItem = 1
    case usage = 64
    case data = 65
    case unavailable = 69
    case internalError = 70
    case cannotCreate = 73
    case tryAgain = 75
    case noPermission = 77
    /// This code and the next are the ones that shells use.
    case cannotExecute = 126
    case noCommand = 127

    /// The meaning, for help and manual pages.
    package var meaning: String {
        switch self {
        case .done: "done"
        case .noItem: "no such item, source or session, or it has expired"
        case .usage: "usage: a bad option, name or duration, no secret was given, or the answer was not yes"
        case .data:
            "unusable data (a bad file, a missing field), an ambiguous name, or a command that asks for its own output"
        case .unavailable: "no usable kernel keyring, or the session has ended"
        case .internalError: "any other error"
        case .cannotCreate: "the item or link already exists, or another helper is configured"
        case .tryAgain:
            "try again: the quota is full, other processes interfere, a lock is held or lost, no thread can be started, "
                + "a source failed, or a command ran for too long"
        case .noPermission: "no permission, another user's session, a restricted keyring, or an unsafe sources file"
        case .cannotExecute: "the command can't be run"
        case .noCommand: "the command doesn't exist"
        }
    }

    /// Whether only verbs that launch a command use this code.
    package var isOfLaunching: Bool { self == .cannotExecute || self == .noCommand }
}
