import CommandSupport
import Glibc
import SystemPackage

/// Where links go.
package enum LinkFolder {
    /// The first that PATH has and that may be written to, else the user's own; `nil` where that is not to be written to.
    ///
    /// The user's own may not be there yet: what is installed later goes to the same one.
    package static func usual(own: String, ofMachine: String?, searchPath: [String]) -> String? {
        let folders = [own] + (ofMachine.map { [$0] } ?? [])
        return folders.first { searchPath.contains($0) && isWritable($0) } ?? (isWritable(own) ? own : nil)
    }

    static func usual(for user: SetupUser) -> String? {
        usual(
            own: user.path(".local/bin"), ofMachine: geteuid() == 0 ? "/usr/local/bin" : nil,
            searchPath: user.searchPath)
    }

    /// Whether it, or the nearest folder above it that is there, lets us make files.
    private static func isWritable(_ folder: String) -> Bool {
        guard unsafe access(folder, F_OK) != 0 else { return unsafe access(folder, W_OK | X_OK) == 0 }
        guard let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) else { return false }
        return isWritable(String(folder[..<slash]))
    }

    /// Makes a folder and those above it.
    static func make(_ folder: String, mode: mode_t) throws(CommandError) {
        guard !folder.isEmpty, unsafe access(folder, F_OK) != 0 else { return }
        let parent = folder.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(folder[..<$0]) } ?? ""
        try make(parent, mode: mode)
        do throws(Errno) {
            guard unsafe mkdir(folder, mode) == 0 else {
                if errno == EEXIST { return }
                throw .last
            }
            try FolderOwner.give(folder, in: parent)
        } catch {
            throw CommandError(
                exitCode: .noPermission, message: "can't make the folder \(Display.quoted(folder)): \(error.reason)",
                hint: "name a folder that you may write to with --dir")
        }
    }
}

/// What root makes in another user's home is that user's.
enum FolderOwner {
    /// Gives a new file the owner of the folder it is in.
    static func give(_ file: FileDescriptor, in folder: String) throws(Errno) {
        var found = stat()
        guard geteuid() == 0, unsafe stat(folder, &found) == 0, found.st_uid != 0 else { return }
        guard fchown(file.rawValue, found.st_uid, found.st_gid) == 0 else { throw .last }
    }

    /// The same for a new folder, if it has not been replaced by a link meanwhile.
    static func give(_ new: String, in folder: String) throws(Errno) {
        guard geteuid() == 0 else { return }
        let descriptor = unsafe open(new, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last }
        defer { close(descriptor) }
        try give(FileDescriptor(rawValue: descriptor), in: folder)
    }
}
