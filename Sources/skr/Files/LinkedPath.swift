import CommandSupport
import Glibc
import SystemPackage

/// The file that symbolic links lead to, even if it doesn't exist yet.
enum LinkedPath {
    /// The number of links that the kernel follows.
    private static let limit = 40

    static func target(of path: String) throws -> (folder: String, name: String) {
        var target = split(path)
        for _ in 0..<limit {
            let place = "\(target.folder)/\(target.name)"
            guard let link = try WalkedPath.linkTarget(place) else {
                if try isSame(path, place) { return target }
                // Another process has just replaced a link.
                target = split(path)
                continue
            }
            guard !isInProc(target.folder) else {
                throw CommandError.usage(
                    "can't write \(Display.quoted(path)): it is a link to an open file, which can't be replaced in one step",
                    hint: "leave out -o for standard output, or name the file itself")
            }
            target = split(link.utf8.first == UInt8(ascii: "/") ? link : "\(target.folder)/\(link)")
        }
        throw Errno.tooManySymbolicLinkLevels
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        return (String(path[...slash]), String(path[path.utf8.index(after: slash)...]))
    }

    /// Returns whether both paths lead to the same file, or neither file exists.
    ///
    /// The kernel refuses to follow some links of other users (proc_sys_fs(5)); so does this function.
    private static func isSame(_ path: String, _ other: String) throws(Errno) -> Bool {
        var (first, second) = (stat(), stat())
        let isThere = unsafe stat(path, &first) == 0
        guard isThere || .last == Errno.noSuchFileOrDirectory else { throw .last }
        guard unsafe (stat(other, &second) == 0) == isThere else { return false }
        return !isThere || (first.st_ino == second.st_ino && first.st_dev == second.st_dev)
    }

    /// Returns whether the folder is on the file system of `/proc`, whose links can lead elsewhere than they say.
    private static func isInProc(_ folder: String) -> Bool {
        var (found, proc) = (stat(), stat())
        return unsafe stat(folder, &found) == 0 && stat("/proc", &proc) == 0 && found.st_dev == proc.st_dev
    }
}
