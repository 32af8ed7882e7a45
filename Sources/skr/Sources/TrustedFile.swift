import CommandSupport
import Glibc
import Keyutils
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
            var found = stat()
            // A folder that can't be searched is somebody else's, as after `sudo` with the caller's HOME.
            if unsafe error == .noSuchFileOrDirectory || stat(path, &found) != 0 { return nil }
            throw refused(path, "it can't be read: \(error.reason)", hint: "check that you may read the file")
        }
        defer { close(descriptor) }
        var found = stat()
        guard unsafe fstat(descriptor, &found) == 0, found.st_mode & S_IFMT == S_IFREG else {
            throw refused(path, "it is not a regular file", hint: "name a file")
        }
        try check(found, path, of: path)
        try checkFolders(of: descriptor, path, home: home)
        do {
            return try InputFile.readAll(
                FileDescriptor(rawValue: descriptor), name: Display.quoted(path), limit: limit,
                pieceSize: min(limit, Int(found.st_size)) + 1)
        } catch let error as CommandError {
            throw error
        } catch {
            throw refused(path, "it can't be read: \(error.reason)", hint: "check the disk")
        }
    }

    private static func checkFolders(of descriptor: CInt, _ path: String, home: String?) throws(CommandError) {
        // The path of the opened file without symbolic links.
        guard var folder = try? LinkedPath.linkTarget("/proc/self/fd/\(descriptor)"), folder.hasPrefix("/") else {
            throw refused(path, "its folders can't be checked", hint: "mount /proc")
        }
        var end = stat()
        let hasEnd = home.map { home in unsafe stat(home, &end) == 0 } ?? false
        while let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) {
            folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
            var found = stat()
            guard unsafe lstat(folder, &found) == 0 else {
                throw refused(
                    path, "its folder \(Display.quoted(folder)) can't be checked: \(Errno.last.reason)",
                    hint: "check that you may search the folder")
            }
            try check(found, folder, of: path, allowsWriters: found.st_mode & S_ISVTX != 0)
            if folder == "/" || hasEnd && found.st_ino == end.st_ino && found.st_dev == end.st_dev { return }
        }
    }

    private static func check(
        _ found: stat, _ place: String, of path: String, allowsWriters: Bool = false
    ) throws(CommandError) {
        let shown = place == path ? "it" : "its folder \(Display.quoted(place))"
        guard found.st_uid == geteuid() || found.st_uid == 0 else {
            throw refused(
                path, "\(shown) belongs to user \(found.st_uid)", hint: "chown \(geteuid()) \(Display.shellWord(place))"
            )
        }
        guard allowsWriters || found.st_mode & 0o022 == 0 else {
            throw refused(path, "others can write to \(shown)", hint: "chmod go-w \(Display.shellWord(place))")
        }
    }

    private static func refused(_ path: String, _ reason: String, hint: String) -> CommandError {
        CommandError(exitCode: .noPermission, message: "not using \(Display.quoted(path)): \(reason)", hint: hint)
    }
}
