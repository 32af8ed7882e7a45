import Glibc

/// The programs of this package that are installed next to this one.
package enum SiblingProgram {
    /// Returns the program's path.
    ///
    /// - Throws: ``CommandError`` with 127 if the program isn't there, or if all users can write there.
    package static func path(of name: String) throws(CommandError) -> String {
        if let own = try? WalkedPath.linkTarget("/proc/self/exe"), let slash = own.lastIndex(of: "/") {
            let path = "\(own[...slash])\(name)"
            if unsafe access(path, X_OK) == 0, WalkedPath(path).places(openTo: 0o002).isEmpty { return path }
        }
        throw CommandError(
            exitCode: .noCommand, message: "no such command: '\(name)'",
            hint: "install the program \(name), which is part of this package, next to skr")
    }
}
