import CommandSupport
import Glibc
import SecretService

/// A private folder with the socket of a service.
struct SocketFolder {
    private static let prefix = "skr-secrets-"
    private static let name = "/bus"

    let path: String
    let listener: CInt
    private let folder: String

    /// `$XDG_RUNTIME_DIR`, if it is a folder of this user, and nobody else can write to it or replace it.
    ///
    /// After `su`, it is another user's. In such a folder, its owner could replace ours, and get what programs send to
    /// the socket.
    static var runtime: String? {
        guard let path = try? Variable.value("XDG_RUNTIME_DIR"), path.hasPrefix("/") else { return nil }
        let walk = WalkedPath(path)
        guard walk.isOurs, let found = walk.places.last?.found, found.st_uid == geteuid(), found.st_mode & 0o022 == 0
        else { return nil }
        return path
    }

    /// Creates the folder in ``runtime``, or else in the system's temporary directory.
    init() throws(CommandError) {
        // A user namespace possibly doesn't map the owner of /tmp.
        let temporary = WalkedPath("/tmp").places(openTo: 0o022).isEmpty ? "/tmp" : nil
        for parent in [Self.runtime, temporary].compactMap(\.self) {
            Self.removeAbandoned(in: parent)
            let random = String(repeating: "X", count: 6)
            var template = Array("\(parent)/\(Self.prefix)\(random)".utf8CString)
            guard template.count - 1 + Self.name.utf8.count <= UnixSocket.longestPath, unsafe mkdtemp(&template) != nil
            else { continue }
            let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let (early, path) = ("\(folder)/b", folder + Self.name)
            let mask = umask(0o177)
            let listener = UnixSocket.listen(at: early)
            umask(mask)
            // A socket with this name always has a listener, unless its service was killed.
            if let listener, unsafe rename(early, path) == 0 {
                (self.folder, self.path, self.listener) = (folder, path, listener)
                return
            }
            unsafe unlink(early)
            unsafe rmdir(folder)
        }
        throw CommandError(
            exitCode: .cannotCreate, message: "can't create a socket in XDG_RUNTIME_DIR or in /tmp",
            hint: "check that one of these folders is writable, not full, and not another user's")
    }

    /// Whether nobody has removed the socket.
    var isThere: Bool { unsafe access(path, F_OK) == 0 }

    func remove() {
        unsafe unlink(path)
        unsafe rmdir(folder)
    }

    /// Removes our folders whose services were killed.
    private static func removeAbandoned(in parent: String) {
        guard let directory = unsafe opendir(parent) else { return }
        defer { unsafe closedir(directory) }
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            let folder = "\(parent)/\(name)"
            var status = stat()
            guard name.hasPrefix(prefix), unsafe lstat(folder, &status) == 0, status.st_uid == geteuid(),
                status.st_mode & S_IFMT == S_IFDIR, UnixSocket.isAbandoned("\(folder)\(Self.name)")
            else { continue }
            unsafe unlink("\(folder)\(Self.name)")
            unsafe rmdir(folder)
        }
    }
}
