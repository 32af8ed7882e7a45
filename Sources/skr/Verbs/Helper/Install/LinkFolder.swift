import CommandSupport
import Glibc
import SystemPackage

/// The folder in which links are created.
package enum LinkFolder {
    /// Returns the first folder that is in PATH and writable, or else the user's own folder.
    ///
    /// If that isn't writable either, the result is `nil`. The user's own folder doesn't have to exist yet: later
    /// installs will choose the same one.
    package static func usual(own: String, ofMachine: String?, searchPath: [String]) -> String? {
        let folders = [own] + (ofMachine.map { [$0] } ?? [])
        return folders.first { searchPath.contains($0) && isWritable($0) } ?? (isWritable(own) ? own : nil)
    }

    static func usual(for user: SetupUser) -> String? {
        usual(
            own: user.path(".local/bin"), ofMachine: geteuid() == 0 ? "/usr/local/bin" : nil,
            searchPath: user.searchPath)
    }

    /// Returns whether we can create files in the folder or, if it doesn't exist, in its nearest existing parent.
    private static func isWritable(_ folder: String) -> Bool {
        existing(folder).map { unsafe access($0, W_OK | X_OK) == 0 } ?? false
    }

    /// Refuses the folder unless it or, if it doesn't exist, its nearest existing parent belongs to the effective user.
    static func requireOwn(_ folder: String) throws(SetupRefusal) {
        var found = stat()
        guard let existing = existing(folder), unsafe stat(existing, &found) == 0 else {
            throw SetupRefusal("\(Display.quoted(folder)) can't be looked at")
        }
        guard found.st_uid == geteuid() else {
            throw SetupRefusal("\(Display.quoted(folder)) belongs to another user", .noPermission)
        }
    }

    /// Returns the folder or, if it doesn't exist, its nearest existing parent.
    private static func existing(_ folder: String) -> String? {
        guard unsafe access(folder, F_OK) != 0 else { return folder }
        guard let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return slash == folder.startIndex ? "/" : existing(String(folder[..<slash]))
    }

    /// Returns the folder of a file.
    static func parent(of path: String) -> String {
        let folder = FilePath(path).removingLastComponent().string
        return folder.isEmpty ? "." : folder
    }

    /// Creates a folder and its parents.
    static func make(_ folder: String, mode: mode_t) throws(CommandError) {
        guard !folder.isEmpty, unsafe access(folder, F_OK) != 0 else { return }
        let parent = folder.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(folder[..<$0]) } ?? ""
        try make(parent, mode: mode)
        do throws(Errno) {
            guard unsafe mkdir(folder, mode) == 0 else {
                if errno == EEXIST { return }
                throw .last
            }
            try giveOwner(of: parent, to: folder)
        } catch {
            throw CommandError(
                exitCode: .noPermission, message: "can't create the folder \(Display.quoted(folder)): \(error.reason)",
                hint: "choose a folder that you can write to: --dir FOLDER")
        }
    }

    /// Gives a folder that root has created to the owner of its parent, unless a link has replaced it in the meantime.
    private static func giveOwner(of parent: String, to folder: String) throws(Errno) {
        var found = stat()
        guard geteuid() == 0, unsafe stat(parent, &found) == 0, found.st_uid != 0 else { return }
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last }
        defer { close(descriptor) }
        guard fchown(descriptor, found.st_uid, found.st_gid) == 0 else { throw .last }
    }
}
