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

    /// Creates the folder in `$XDG_RUNTIME_DIR`, or else in the system's temporary directory.
    ///
    /// In a folder that others can change, they could replace ours, and get what programs send to the socket.
    init() throws(CommandError) {
        let runtime = unsafe getenv("XDG_RUNTIME_DIR").map { unsafe String(cString: $0) }
        for parent in [runtime, "/tmp"].compactMap(\.self) where parent.hasPrefix("/") {
            // A user namespace possibly doesn't map the owner of /tmp.
            guard parent == "/tmp" ? WalkedPath(parent).places(openTo: 0o022).isEmpty : WalkedPath(parent).isOurs
            else { continue }
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
