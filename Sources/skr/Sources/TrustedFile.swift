import CommandSupport
import Glibc
import SystemPackage

/// A file that only this user or root can have written, and only they can have chosen.
///
/// The file, and each folder and symbolic link that its path leads through, belong to this user or to root, and nobody
/// else can write to them. As sshd does, this trusts the folders above the home folder.
enum TrustedFile {
    /// Reads the file; `nil` if it doesn't exist.
    ///
    /// - Parameters:
    ///   - home: the home folder.
    ///   - limit: the largest number of bytes.
    static func read(_ path: String, home: String?, limit: Int) throws(CommandError) -> [UInt8]? {
        let walk = WalkedPath(path)
        let file: FileDescriptor
        do throws(Errno) {
            file = try walk.open()
        } catch {
            // A folder that can't be searched is somebody else's, as after `sudo` with the caller's HOME.
            let isHidden = walk.failure == .permissionDenied
            if error == .noSuchFileOrDirectory || error == .notDirectory || isHidden { return nil }
            throw refused(path, "it can't be read: \(error.reason)", hint: "check that you may read the file")
        }
        defer { try? file.close() }
        var found = stat()
        guard unsafe fstat(file.rawValue, &found) == 0, found.st_mode & S_IFMT == S_IFREG else {
            throw refused(path, "it is not a regular file", hint: "name a file")
        }
        try check(walk, of: path, home: home)
        let content: [UInt8]
        do {
            content = try InputFile.readAll(
                file, name: "the file", limit: limit, pieceSize: min(limit, Int(found.st_size)) + 1)
        } catch {
            let reason = (error as? CommandError)?.message ?? "it can't be read: \(error.reason)"
            throw refused(path, reason, hint: "check the file")
        }
        guard !content.contains(0) else { throw refused(path, "it has a NUL byte", hint: "check the file") }
        return content
    }

    private static func check(
        _ walk: borrowing WalkedPath, of path: String, home: String?
    ) throws(CommandError) {
        var end = stat()
        let hasEnd = home.map { home in unsafe stat(home, &end) == 0 } ?? false
        let homes = walk.places.filter { hasEnd && $0.found.st_ino == end.st_ino && $0.found.st_dev == end.st_dev }
        func isChecked(_ place: WalkedPath.Place) -> Bool {
            let path = FilePath(place.path)
            return !place.isFolder || !homes.contains { $0.path != place.path && FilePath($0.path).starts(with: path) }
        }
        func named(_ place: WalkedPath.Place) -> String {
            let name = Display.quoted(place.path)
            if place.isFolder { return "its folder \(name)" }
            return place.isLink ? "the link \(name)" : place.path == path ? "it" : name
        }
        if let place = walk.foreign.last(where: isChecked) {
            let (user, isUnmapped) = (place.found.st_uid, place.found.st_uid == geteuid())
            throw refused(
                path,
                "\(named(place)) belongs to user \(user)"
                    + (isUnmapped ? ", which stands for all users that this user namespace doesn't map" : ""),
                hint: "use a file of your own: check HOME and SKR_SOURCES")
        }
        let open = walk.places(openTo: 0o022).reversed().filter(isChecked)
        guard let first = open.first else { return }
        let all = open.map { Display.shellWord($0.path) }.joined(separator: " ")
        let isSticky = first.found.st_mode & S_ISVTX != 0
        throw refused(
            path, "others can write to \(named(first))",
            hint: isSticky ? "move the file to a folder of your own" : "chmod go-w \(all)")
    }

    private static func refused(_ path: String, _ reason: String, hint: String) -> CommandError {
        CommandError(exitCode: .noPermission, message: "not using \(Display.quoted(path)): \(reason)", hint: hint)
    }
}
