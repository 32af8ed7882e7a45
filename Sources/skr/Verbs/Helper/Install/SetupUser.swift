import CommandSupport
import Glibc

/// The user whose clients are set up, according to the environment.
struct SetupUser {
    let home: String
    /// The folders of PATH, in their order.
    ///
    /// A relative folder is left out: whether it contains a helper depends on the folder in which a program is called.
    let searchPath: [String]
    /// The path of this program's own file, to which links must lead.
    let executable: String

    init() throws(CommandError) {
        guard let home = try Variable.value("HOME"), home.utf8.first == UInt8(ascii: "/") else {
            throw .usage(
                "HOME is not set, or is not an absolute path", hint: "set HOME to the path of your home folder")
        }
        self.home =
            home.utf8.count > 1 && home.utf8.last == UInt8(ascii: "/") ? String(Substring(home.utf8.dropLast())) : home
        searchPath = (try Variable.value("PATH") ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
            .map { String($0.utf8.count > 1 && $0.hasSuffix("/") ? Substring($0.utf8.dropLast()) : $0) }
        guard let executable = try? WalkedPath.linkTarget("/proc/self/exe") else {
            throw CommandError(
                exitCode: .unavailable, message: "can't find the path of skr in /proc", hint: "mount /proc")
        }
        guard unsafe access(executable, F_OK) == 0 else {
            guard errno != EACCES else {
                throw CommandError(
                    exitCode: .noPermission,
                    message: "\(Display.quoted(executable)) is in a folder that you can't enter",
                    hint: "use an skr that is installed where your programs find it, such as /usr/local/bin")
            }
            throw CommandError(
                exitCode: .tryAgain, message: "\(Display.quoted(executable)) does not exist any more",
                hint: "skr has just been replaced; run the command again")
        }
        self.executable = executable
    }

    /// Returns a variable's value; `nil` if it is unset, empty or not valid UTF-8.
    func variable(_ name: String) -> String? { (try? Variable.value(name)) ?? nil }

    func path(_ name: String) -> String { home == "/" ? "/\(name)" : "\(home)/\(name)" }

    /// Returns a path as people write it.
    func shown(_ path: String) -> String {
        Display.plain(path.hasPrefix("\(home)/") ? "~\(Substring(path.utf8.dropFirst(home.utf8.count)))" : path)
    }

    func isInPath(_ folder: String) -> Bool { searchPath.contains(folder) }

    /// Returns the program with this name that a shell would start.
    func program(_ name: String) -> String? {
        searchPath.lazy.map { "\($0)/\(name)" }.first { path in
            var found = stat()
            return unsafe access(path, X_OK) == 0 && stat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFREG
        }
    }
}
