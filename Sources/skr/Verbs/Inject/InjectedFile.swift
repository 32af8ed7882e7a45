import CommandSupport
import Glibc
import SystemPackage

/// Writes a text with secrets to a file in one step; on any error the file stays as it was.
///
/// Until it is complete, the text is in a file without a name, which vanishes with this process. Only where it replaces
/// another file it has a temporary name for a moment; a `kill -9` at that moment leaves it.
struct InjectedFile {
    /// From linux/fcntl.h: O_TMPFILE without its O_DIRECTORY, whose number differs between machines.
    private static let unnamed: CInt = 0o20_000_000
    /// O_PATH: the folder need not be readable.
    private static let placeOnly: CInt = 0o10_000_000
    /// AT_EMPTY_PATH.
    private static let descriptorItself: CInt = 0x1000

    private let folder: CInt
    private let name: String
    /// What it replaces.
    private let existing: stat?
    /// Whether others may put files into the folder and can't remove ours, as in `/tmp`.
    private let isSharedFolder: Bool

    /// Writes the text there; directly where it is not a file but a FIFO or a device.
    static func write(_ text: RawSpan, to path: String) throws(CommandError) {
        do {
            var found = stat()
            if unsafe stat(path, &found) == 0, found.st_mode & S_IFMT != S_IFREG {
                return try writeDirectly(text, to: path)
            }
            let file = try InjectedFile(path)
            defer { close(file.folder) }
            try file.requireOwn(file.existing, at: path)
            try file.replace(by: text, at: path)
        } catch let error as CommandError {
            throw error
        } catch {
            throw failure(path, error, hint: "what was there is as it was")
        }
    }

    private static func writeDirectly(_ text: RawSpan, to path: String) throws {
        // With O_CREAT, because only then the kernel protects us from FIFOs that others put into a shared folder
        // (proc_sys_fs(5)).
        let file = try unsafe FileDescriptor.open(
            path, .writeOnly, options: [.create, .closeOnExec, FileDescriptor.OpenOptions(rawValue: O_NOCTTY)],
            permissions: .ownerReadWrite)
        defer { try? file.close() }
        var found = stat()
        guard unsafe fstat(file.rawValue, &found) == 0 else { throw Errno.last }
        guard found.st_mode & S_IFMT != S_IFREG else {
            throw CommandError.usage(
                "can't write \(Display.quoted(path)): it has just been replaced", hint: "try again")
        }
        do {
            try file.writeAll(text)
        } catch {
            throw failure(path, error, hint: "part of the text may be there")
        }
    }

    private init(_ path: String) throws {
        let target = try LinkedPath.target(of: path)
        name = target.name
        guard !name.isEmpty else { throw Errno.isDirectory }
        folder = unsafe open(target.folder, Self.placeOnly | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Errno.last }
        var found = stat()
        isSharedFolder =
            unsafe fstat(folder, &found) == 0 && found.st_mode & S_ISVTX != 0 && found.st_mode & 0o022 != 0
        existing = unsafe fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0 ? found : nil
    }

    /// Refuses to replace another user's file in a shared folder, which root could do: that user would own the secrets.
    private func requireOwn(_ existing: stat?, at path: String) throws(CommandError) {
        guard isSharedFolder, let owner = existing?.st_uid, owner != geteuid() else { return }
        throw CommandError(
            exitCode: .noPermission,
            message:
                "can't write \(Display.quoted(path)): it belongs to user \(owner), in a folder that others write to",
            hint: "delete the file first, or name one in a folder of your own")
    }

    private func replace(by text: RawSpan, at path: String) throws {
        let draft = unsafe openat(folder, ".", O_WRONLY | Self.unnamed | O_DIRECTORY | O_CLOEXEC, 0o600)
        guard draft >= 0 else { throw Errno.last }
        defer { close(draft) }
        try FileDescriptor(rawValue: draft).writeAll(text)
        guard takeOver(to: draft), fsync(draft) == 0 else { throw Errno.last }
        try publish(draft, at: path)
    }

    /// Gives the draft the mode and, where that is allowed, the owner of what it replaces.
    private func takeOver(to draft: CInt) -> Bool {
        guard let existing else { return true }
        var mode = existing.st_mode & 0o777
        if fchown(draft, existing.st_uid, existing.st_gid) != 0, fchown(draft, uid_t.max, existing.st_gid) != 0 {
            // The group is another one now, and gets no permissions.
            mode &= ~0o070
        }
        return fchmod(draft, mode) == 0
    }

    /// Gives the draft its name.
    private func publish(_ draft: CInt, at path: String) throws {
        if existing == nil {
            if link(draft, name) { return }
            guard .last == Errno.fileExists else { throw Errno.last }
            var found = stat()
            try requireOwn(unsafe fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0 ? found : nil, at: path)
        }
        // No signal but SIGKILL and SIGSTOP can come in between.
        var (all, before) = (sigset_t(), sigset_t())
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        let other = ".skr-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        guard link(draft, other) else { throw Errno.last }
        if unsafe renameat(folder, other, folder, name) == 0 { return }
        let error = Errno.last
        unsafe unlinkat(folder, other, 0)
        throw error
    }

    private func link(_ draft: CInt, _ name: String) -> Bool {
        // The first call needs a capability or a recent kernel, the second one needs /proc.
        unsafe linkat(draft, "", folder, name, Self.descriptorItself) == 0
            || (errno == ENOENT
                && linkat(AT_FDCWD, "/proc/self/fd/\(draft)", folder, name, AT_SYMLINK_FOLLOW) == 0)
    }

    private static func failure(_ path: String, _ error: any Error, hint: String) -> CommandError {
        let message = "can't write \(Display.quoted(path)): \(error.reason)"
        switch error as? Errno {
        case Errno.notSupported?:
            return .internalError(
                "can't write \(Display.quoted(path)): its file system has no files without a name",
                hint: "write to another one, such as /run, or hand the text over: skr inject ... -- CMD")
        case Errno.permissionDenied?, Errno.notPermitted?, Errno.readOnlyFileSystem?:
            return CommandError(
                exitCode: .noPermission, message: message, hint: "name a file in a folder that you may write to")
        case Errno.noSuchFileOrDirectory?, Errno.notDirectory?, Errno.isDirectory?, Errno.tooManySymbolicLinkLevels?,
            Errno.fileNameTooLong?, Errno.noSuchAddressOrDevice?, Errno.invalidArgument?:
            return .usage(message, hint: "name a file in a folder that is there")
        default: return .internalError(message, hint: hint)
        }
    }
}
