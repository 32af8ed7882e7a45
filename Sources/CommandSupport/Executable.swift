import Glibc
import Keyutils
package import SystemPackage

/// Programs that a command starts or becomes.
package enum Executable {
    /// Returns whether PATH has a file with this name.
    ///
    /// `exec` reports EACCES if a folder of PATH can't be searched. A shell says instead that the command
    /// doesn't exist.
    package static func isThere(_ name: String) -> Bool {
        if name.utf8.contains(UInt8(ascii: "/")) { return true }
        guard let path = unsafe getenv("PATH") else { return true }
        return unsafe String(cString: path).split(separator: ":", omittingEmptySubsequences: false).contains { folder in
            unsafe access("\(folder.isEmpty ? "." : folder)/\(name)", F_OK) == 0
        }
    }

    /// Returns the error for a program that `exec` could not run.
    package static func failure(of name: String, _ error: Errno) -> CommandError {
        switch error == .permissionDenied && !isThere(name) ? .noSuchFileOrDirectory : error {
        case .noSuchFileOrDirectory:
            CommandError(
                exitCode: .noCommand, message: "no such command: \(Display.quoted(name))",
                hint: "use the name of a program in PATH, or a path")
        case .argListTooLong:
            cannotRun(name, error.reason, hint: "a variable holds up to 128 KiB; pass large secrets with --file")
        default: cannotRun(name, error.reason, hint: "make the file executable (chmod +x), or name another program")
        }
    }

    package static func cannotRun(_ name: String, _ reason: String, hint: String) -> CommandError {
        CommandError(exitCode: .cannotExecute, message: "can't run \(Display.quoted(name)): \(reason)", hint: hint)
    }
}
