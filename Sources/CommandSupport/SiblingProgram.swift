import Glibc

/// The programs of this package that are installed next to this one.
package enum SiblingProgram {
    /// Returns the program's path; `nil` if it isn't there, or if all users can write there.
    package static func path(of name: String) -> String? {
        guard let own = try? WalkedPath.linkTarget("/proc/self/exe"), let slash = own.lastIndex(of: "/") else {
            return nil
        }
        let path = "\(own[...slash])\(name)"
        return unsafe access(path, X_OK) == 0 && WalkedPath(path).places(openTo: 0o002).isEmpty ? path : nil
    }

    /// Returns the error if a program is missing.
    package static func missing(_ name: String) -> CommandError {
        CommandError(
            exitCode: .noCommand, message: "no such command: '\(name)'",
            hint: "install the program \(name), which is part of this package, next to skr")
    }
}
