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
}
