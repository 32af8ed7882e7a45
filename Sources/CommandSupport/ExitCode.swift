/// What the command's exit code says; those from 64 on are the ones of `sysexits.h`.
package enum ExitCode: Int32, CaseIterable {
    case done = 0
    /// There is no such item, or it has expired.
    case noItem = 1
    case usage = 64
    /// Data that can't be decoded, or a name that fits several items.
    case data = 65
    /// There is no usable kernel keyring.
    case unavailable = 69
    /// Anything else.
    case internalError = 70
    /// The item is there already.
    case cannotCreate = 73
    /// Try again: the quota is full, or others hold what is needed.
    case tryAgain = 75
    case noPermission = 77
    /// The command to run is there, but can't be executed; as a shell says it.
    case cannotExecute = 126
    /// There is no command of that name; as a shell says it.
    case noCommand = 127

    /// For help and manual pages.
    package var meaning: String {
        switch self {
        case .done: "done"
        case .noItem: "no such item, or it has expired"
        case .usage: "usage: a bad option, name or duration"
        case .data: "data that can't be decoded, or an ambiguous name"
        case .unavailable: "no usable kernel keyring"
        case .internalError: "anything else"
        case .cannotCreate: "it is there already (--new)"
        case .tryAgain: "try again: the quota is full, or others got in the way"
        case .noPermission: "no permission"
        case .cannotExecute: "the command can't be run"
        case .noCommand: "there is no such command"
        }
    }

    /// Whether only verbs that launch a command have it.
    package var isOfLaunching: Bool { self == .cannotExecute || self == .noCommand }

    /// One line a code, indented as the lines of a help text are.
    package static var table: String {
        allCases.map { code in
            let number = "\(code.rawValue)"
            return "  \(number)\(String(repeating: " ", count: 5 - number.count))\(code.meaning)"
        }.joined(separator: "\n")
    }
}
