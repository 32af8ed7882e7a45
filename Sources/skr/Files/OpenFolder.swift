import CommandSupport
import Glibc
import SystemPackage

/// A folder in which a new file appears in one step.
///
/// The file has no name until it is complete. If this process ends earlier, the file vanishes.
struct OpenFolder: ~Copyable {
    /// Constants from linux/fcntl.h.
    ///
    /// - `unnamed` is O_TMPFILE without its O_DIRECTORY, whose number differs between machines.
    /// - `placeOnly` is O_PATH, because the folder can be unreadable.
    /// - `descriptorItself` is AT_EMPTY_PATH.
    private static let (unnamed, placeOnly, descriptorItself): (CInt, CInt, CInt) = (0o20_000_000, 0o10_000_000, 0x1000)

    let descriptor: CInt

    init(_ path: String) throws(Errno) {
        descriptor = unsafe open(path, Self.placeOnly | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last }
    }

    deinit {
        close(descriptor)
    }

    /// Returns the attributes of the file with this name; `nil` if it doesn't exist.
    ///
    /// For a symbolic link, these are the link's own attributes.
    func attributes(of name: String) throws(Errno) -> stat? {
        var found = stat()
        if unsafe fstatat(descriptor, name, &found, AT_SYMLINK_NOFOLLOW) == 0 { return found }
        guard errno == ENOENT else { throw .last }
        return nil
    }

    /// Opens a new file without a name that only its owner can access.
    func openUnnamed() throws(Errno) -> FileDescriptor {
        let file = unsafe openat(descriptor, ".", O_WRONLY | Self.unnamed | O_DIRECTORY | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .last }
        return FileDescriptor(rawValue: file)
    }

    /// Gives the file a name.
    ///
    /// - Throws: ``Errno/fileExists`` if another file has that name.
    func link(_ file: FileDescriptor, as name: String) throws(Errno) {
        // The first call needs a capability or a recent kernel, the second one needs /proc.
        guard
            unsafe linkat(file.rawValue, "", descriptor, name, Self.descriptorItself) == 0
                || (errno == ENOENT
                    && linkat(AT_FDCWD, "/proc/self/fd/\(file.rawValue)", descriptor, name, AT_SYMLINK_FOLLOW) == 0)
        else { throw .last }
    }

    func unlink(_ name: String) throws(Errno) {
        guard unsafe unlinkat(descriptor, name, 0) == 0 else { throw .last }
    }

    /// Returns a random name, which no file has.
    static func newName(_ prefix: String) -> String {
        "\(prefix)\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }

    /// Blocks all signals except SIGKILL and SIGSTOP, and returns the previous mask.
    static func blockSignals() -> sigset_t {
        var (all, before) = (sigset_t(), sigset_t())
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        return before
    }

    static func restoreSignals(_ mask: sigset_t) {
        var mask = mask
        unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
    }
}
