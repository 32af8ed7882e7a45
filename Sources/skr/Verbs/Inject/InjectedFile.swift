import CommandSupport
import Glibc

/// A file that gets a text with secrets whole, in one step, or stays as it was.
///
/// Until it is complete, the text is in a file without a name, which goes with us; so there is none that others could find,
/// and none to tidy up. Only what replaces a file has another name for a moment, which a `kill -9` right then would leave.
struct InjectedFile {
    /// From linux/fcntl.h: O_TMPFILE without its O_DIRECTORY, whose number differs between machines.
    private static let unnamed: CInt = 0o20_000_000
    /// O_PATH: a folder that we may write to and not read will do.
    private static let placeOnly: CInt = 0o10_000_000
    /// AT_EMPTY_PATH.
    private static let descriptorItself: CInt = 0x1000

    private let path: String
    private let folder: CInt
    private let name: String
    /// What it replaces.
    private let existing: stat?

    /// Writes the text there; directly where it is not a file but a FIFO or a device.
    static func write(_ text: RawSpan, to path: String) throws(CommandError) {
        var found = stat()
        if unsafe stat(path, &found) == 0, found.st_mode & S_IFMT != S_IFREG {
            // Where others may write, the kernel protects from their FIFOs only those who would make one (proc_sys_fs(5)).
            let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_NOCTTY | O_CLOEXEC, 0o600)
            guard descriptor >= 0, unsafe fstat(descriptor, &found) == 0 else { throw failure(path) }
            defer { close(descriptor) }
            guard found.st_mode & S_IFMT != S_IFREG else {
                throw .usage("can't write \(Display.quoted(path)): it has just been replaced", hint: "try again")
            }
            guard Console.put(text, to: descriptor) else { throw failure(path, hint: "part of the text may be there") }
            return
        }
        let file = try InjectedFile(path)
        defer { close(file.folder) }
        try file.replace(by: text)
    }

    private init(_ path: String) throws(CommandError) {
        let target = try LinkedPath.target(of: path)
        self.path = path
        name = target.name
        guard !name.isEmpty else {
            errno = EISDIR
            throw Self.failure(path)
        }
        folder = unsafe open(target.folder, Self.placeOnly | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Self.failure(path) }
        var found = stat()
        existing = unsafe fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0 ? found : nil
    }

    private func replace(by text: RawSpan) throws(CommandError) {
        let draft = unsafe openat(folder, ".", O_WRONLY | Self.unnamed | O_DIRECTORY | O_CLOEXEC, 0o600)
        guard draft >= 0 else { throw Self.failure(path) }
        defer { close(draft) }
        guard Console.put(text, to: draft), takeOver(to: draft), fsync(draft) == 0, publish(draft) else {
            throw Self.failure(path)
        }
    }

    /// Gives the draft the mode and, where that is allowed, the owner of what it replaces.
    private func takeOver(to draft: CInt) -> Bool {
        guard let existing else { return true }
        var mode = existing.st_mode & 0o777
        if fchown(draft, existing.st_uid, existing.st_gid) != 0, fchown(draft, uid_t.max, existing.st_gid) != 0 {
            // What its group may do is not for another group.
            mode &= ~0o070
        }
        return fchmod(draft, mode) == 0
    }

    /// Gives the draft its name.
    private func publish(_ draft: CInt) -> Bool {
        if existing == nil {
            if link(draft, name) { return true }
            guard errno == EEXIST else { return false }
        }
        // Nothing but what can't be held back may come between.
        var (all, before) = (sigset_t(), sigset_t())
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        let other = ".skr-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        guard link(draft, other) else { return false }
        if unsafe renameat(folder, other, folder, name) == 0 { return true }
        let code = errno
        unsafe unlinkat(folder, other, 0)
        errno = code
        return false
    }

    private func link(_ draft: CInt, _ name: String) -> Bool {
        // The first form needs no /proc, but a privilege or a new kernel.
        unsafe linkat(draft, "", folder, name, Self.descriptorItself) == 0
            || (errno == ENOENT
                && linkat(AT_FDCWD, "/proc/self/fd/\(draft)", folder, name, AT_SYMLINK_FOLLOW) == 0)
    }

    static func failure(_ path: String, hint: String = "what was there is as it was") -> CommandError {
        let code = errno
        let reason = unsafe String(cString: strerror(code)).lowercased()
        let message = "can't write \(Display.quoted(path)): \(reason)"
        return switch code {
        case EOPNOTSUPP:
            CommandError(
                exitCode: .internalError,
                message: "can't write \(Display.quoted(path)): its file system has no files without a name",
                hint: "write to another one, such as /run, or hand the text over: skr inject ... -- CMD")
        case EACCES, EPERM, EROFS:
            CommandError(
                exitCode: .noPermission, message: message, hint: "name a file in a folder that you may write to")
        case ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, ENXIO, EINVAL:
            .usage(message, hint: "name a file in a folder that is there")
        default: CommandError(exitCode: .internalError, message: message, hint: hint)
        }
    }
}
