import CommandSupport
import Glibc
import SystemPackage

/// A file that only this user or root can have written, and only they can have chosen.
///
/// The file, and each folder and symbolic link that its path leads through, belong to this user or to root, and nobody
/// else can write to them. The folders and links above the home folder are trusted.
enum TrustedFile {
    /// Reads the file; `nil` if it doesn't exist.
    ///
    /// - Parameters:
    ///   - home: the home folder.
    ///   - limit: the largest number of bytes.
    static func read(_ path: String, home: String?, limit: Int) throws(CommandError) -> [UInt8]? {
        let walk = WalkedPath(path, home: home)
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
        try check(walk, of: path)
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

    private static func check(_ walk: borrowing WalkedPath, of path: String) throws(CommandError) {
        func named(_ place: WalkedPath.Place) -> String {
            let name = Display.quoted(place.path)
            if place.isFolder { return "its folder \(name)" }
            return place.isLink ? "the link \(name)" : place.path == path ? "it" : name
        }
        if let place = walk.foreign.last {
            let (user, isUnmapped) = (place.found.st_uid, place.found.st_uid == geteuid())
            throw refused(
                path,
                "\(named(place)) belongs to user \(user)"
                    + (isUnmapped ? ", which stands for all users that this user namespace doesn't map" : ""),
                hint: "use a file of your own: check HOME and SKR_SOURCES")
        }
        let open = walk.places(openTo: 0o022)
        guard let last = open.last else { return }
        let mayClose = open.allSatisfy { $0.found.st_uid == geteuid() && $0.found.st_mode & S_ISVTX == 0 }
        let all = Set(open.map { Name(Display.shellWord($0.path)) }).sorted().map(\.text).joined(separator: " ")
        throw refused(
            path, "others can write to \(named(last))",
            hint: mayClose ? "chmod go-w \(all)" : "move the file to a folder of your own")
    }

    private static func refused(_ path: String, _ reason: String, hint: String) -> CommandError {
        CommandError(exitCode: .noPermission, message: "not using \(Display.quoted(path)): \(reason)", hint: hint)
    }
}
