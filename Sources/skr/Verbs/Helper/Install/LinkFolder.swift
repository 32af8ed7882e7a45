import CommandSupport
import Glibc
import SystemPackage

/// The folder in which links are created.
package enum LinkFolder {
    static let ofMachine = "/usr/local/bin"

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
            own: user.path(".local/bin"), ofMachine: geteuid() == 0 ? ofMachine : nil,
            searchPath: user.searchPath)
    }

    /// Returns whether we can create files in the folder or, if it doesn't exist, in its nearest existing parent.
    private static func isWritable(_ folder: String) -> Bool {
        existing(folder).map { unsafe access($0, W_OK | X_OK) == 0 } ?? false
    }

    /// Refuses a file or folder unless it or, if it doesn't exist, its nearest existing parent belongs to the effective
    /// user, and only that user and root can change where its path leads.
    ///
    /// After this check, nobody else can make a write go elsewhere. The places above the home folder are trusted, except
    /// by root, whose HOME can be another user's.
    static func requireOwn(_ path: String, of user: SetupUser) throws(SetupRefusal) {
        let isRoot = geteuid() == 0 && (try? UserNamespace.isIdentity()) != false
        let walk = WalkedPath(path, home: isRoot ? nil : user.home)
        // An ordinary user's umask often lets the user's own group write.
        let open = walk.places(openTo: geteuid() == 0 ? 0o022 : 0o002).filter(\.isFolder)
        guard let last = walk.places.last, [nil, .noSuchFileOrDirectory].contains(walk.failure) else {
            throw SetupRefusal("\(Display.quoted(path)) can't be looked at")
        }
        if let place = walk.foreign.first ?? (last.found.st_uid == geteuid() ? nil : last) {
            throw SetupRefusal(
                "\(Display.quoted(place.path)) belongs to another user", .noPermission,
                hint: isRoot ? "run skr as that user, or with 'sudo -H'" : nil)
        }
        if let place = open.first {
            throw SetupRefusal("others can write to \(Display.quoted(place.path))", .noPermission)
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
        guard unsafe mkdir(folder, mode) == 0 || errno == EEXIST else {
            throw CommandError(
                exitCode: .noPermission,
                message: "can't create the folder \(Display.quoted(folder)): \(Errno.last.reason)",
                hint: "choose a folder that you can write to: --dir FOLDER")
        }
    }
}
