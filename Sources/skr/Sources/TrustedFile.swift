import CommandSupport
import Glibc
import SystemPackage

/// A file that only this user or root can have written.
///
/// The checks are those of sshd for its own files: the file and the folders of its path belong to this user or to root,
/// and nobody else can write to them. Symbolic links are followed.
enum TrustedFile {
    /// Reads the file; `nil` if it doesn't exist.
    ///
    /// - Parameters:
    ///   - home: the folder at which the check of the path ends; otherwise it ends at `/`.
    ///   - limit: the largest number of bytes.
    static func read(_ path: String, home: String?, limit: Int) throws(CommandError) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            let error = Errno.last
            if error == .noSuchFileOrDirectory || error == .notDirectory { return nil }
            var found = stat()
            // A folder that can't be searched is somebody else's, as after `sudo` with the caller's HOME.
            if unsafe error == .permissionDenied && stat(path, &found) != 0 { return nil }
            throw refused(path, "it can't be read: \(error.reason)", hint: "check that you may read the file")
        }
        defer { close(descriptor) }
        var found = stat()
        guard unsafe fstat(descriptor, &found) == 0, found.st_mode & S_IFMT == S_IFREG else {
            throw refused(path, "it is not a regular file", hint: "name a file")
        }
        try check([(path, found)] + folders(of: descriptor, path, upTo: home), of: path)
        let content: [UInt8]
        do {
            content = try InputFile.readAll(
                FileDescriptor(rawValue: descriptor), name: "the file", limit: limit,
                pieceSize: min(limit, Int(found.st_size)) + 1)
        } catch {
            let reason = (error as? CommandError)?.message ?? "it can't be read: \(error.reason)"
            throw refused(path, reason, hint: "check the file")
        }
        guard !content.contains(0) else { throw refused(path, "it has a NUL byte", hint: "check the file") }
        return content
    }

    /// Returns the folders of the opened file, whose path has no symbolic links, up to the home folder or `/`.
    private static func folders(
        of descriptor: CInt, _ path: String, upTo home: String?
    ) throws(CommandError) -> [(path: String, found: stat)] {
        guard var folder = try? LinkedPath.linkTarget("/proc/self/fd/\(descriptor)"), folder.hasPrefix("/") else {
            throw refused(path, "its folders can't be checked", hint: "mount /proc")
        }
        var end = stat()
        let hasEnd = home.map { home in unsafe stat(home, &end) == 0 } ?? false
        var folders: [(path: String, found: stat)] = []
        while let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) {
            folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
            var found = stat()
            guard unsafe lstat(folder, &found) == 0 else {
                throw refused(
                    path, "its folder \(Display.quoted(folder)) can't be checked: \(Errno.last.reason)",
                    hint: "check that you may search the folder")
            }
            folders.append((folder, found))
            if folder == "/" || hasEnd && found.st_ino == end.st_ino && found.st_dev == end.st_dev { break }
        }
        return folders
    }

    private static func check(_ places: [(path: String, found: stat)], of path: String) throws(CommandError) {
        func named(_ place: String) -> String { place == path ? "it" : "its folder \(Display.quoted(place))" }
        if let (place, found) = places.first(where: { $0.found.st_uid != geteuid() && $0.found.st_uid != 0 }) {
            throw refused(
                path, "\(named(place)) belongs to user \(found.st_uid)",
                hint: "use a file of your own: check HOME and SKR_SOURCES")
        }
        let open = places.filter { place, found in
            // In a sticky folder, others can't replace a file that isn't theirs.
            let isSticky = found.st_mode & S_ISVTX != 0 && found.st_mode & S_IFMT == S_IFDIR
            return found.st_mode & 0o022 != 0 && !isSticky
        }
        if let first = open.first {
            let all = open.map { Display.shellWord($0.path) }.joined(separator: " ")
            throw refused(path, "others can write to \(named(first.path))", hint: "chmod go-w \(all)")
        }
    }

    private static func refused(_ path: String, _ reason: String, hint: String) -> CommandError {
        CommandError(exitCode: .noPermission, message: "not using \(Display.quoted(path)): \(reason)", hint: hint)
    }
}
