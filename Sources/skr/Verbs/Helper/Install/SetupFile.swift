import CommandSupport
import Glibc
import SecretText
import SystemPackage

/// A client's configuration file, which can contain secrets.
enum SetupFile {
    private static let limit = 1 << 20

    /// Reads the file; `nil` if it doesn't exist.
    static func read(_ path: String) throws(SetupRefusal) -> SecretBox? {
        do {
            let file = try unsafe FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
            return try file.closeAfter {
                var found = stat()
                guard unsafe fstat(file.rawValue, &found) == 0 else { throw Errno.last }
                guard found.st_mode & S_IFMT == S_IFREG else { throw SetupRefusal("it is not a regular file") }
                guard found.st_size <= limit else { throw SetupRefusal("it is larger than 1 MiB") }
                return SecretBox(try SecretBytes.reading(file, limit: limit))
            }
        } catch Errno.noSuchFileOrDirectory {
            return nil
        } catch {
            throw error as? SetupRefusal ?? SetupRefusal(error.reason)
        }
    }

    /// Refuses a file unless it is absent or ordinary: a regular file of the effective user, with one name, in that
    /// user's folder.
    ///
    /// - Returns: the condition that the file is still as it is now.
    static func requireOrdinary(_ path: String, of user: SetupUser) throws(SetupRefusal) -> ReplacedFile.Condition {
        let folder = LinkFolder.parent(of: path)
        var found = stat()
        guard unsafe lstat(folder, &found) != 0 || found.st_mode & S_IFMT != S_IFLNK else {
            throw SetupRefusal("its folder is a link")
        }
        let isThere = unsafe lstat(path, &found) == 0
        guard !isThere || found.st_mode & S_IFMT != S_IFLNK else { throw SetupRefusal("it is a link") }
        try LinkFolder.requireOwn(path, of: user)
        guard isThere else { return .absent }
        guard found.st_mode & S_IFMT == S_IFREG else { throw SetupRefusal("it is not a regular file") }
        guard found.st_nlink == 1 else { throw SetupRefusal("it has \(found.st_nlink) hard links") }
        return .unchanged(found)
    }
}
