import CommandSupport
import Glibc
import SystemPackage

/// Writes a text with secrets to a file in one step; on any error, the file stays unchanged.
///
/// Until the text is complete, it is in a file without a name, which vanishes with this process. Only if it replaces
/// another file does it have a temporary name for a moment. A `kill -9` at that moment leaves the temporary file.
struct ReplacedFile: ~Copyable {
    private let path: String
    private let folder: OpenFolder
    private let name: String
    /// Whether other users can put files into the folder but can't remove ours, as in `/tmp`.
    private let isSharedFolder: Bool

    /// Writes the text to this path; it writes directly if the path is a FIFO or a device.
    static func write(_ text: RawSpan, to path: String) throws(CommandError) {
        do {
            var found = stat()
            if unsafe stat(path, &found) == 0, found.st_mode & S_IFMT != S_IFREG {
                return try writeDirectly(text, to: path)
            }
            try ReplacedFile(path).replace(by: text)
        } catch let error as CommandError {
            throw error
        } catch {
            throw failure(path, error, hint: "nothing was written; fix the cause, and run skr again")
        }
    }

    private static func writeDirectly(_ text: RawSpan, to path: String) throws {
        // With O_CREAT, because only then does the kernel protect us from FIFOs that other users put into a shared
        // folder (proc_sys_fs(5)).
        let file = try unsafe FileDescriptor.open(
            path, .writeOnly, options: [.create, .closeOnExec, FileDescriptor.OpenOptions(rawValue: O_NOCTTY)],
            permissions: .ownerReadWrite)
        defer { try? file.close() }
        var found = stat()
        guard unsafe fstat(file.rawValue, &found) == 0 else { throw Errno.last }
        guard found.st_mode & S_IFMT != S_IFREG else {
            throw CommandError.usage(
                "can't write \(Display.quoted(path)): another program has just replaced it", hint: "try again")
        }
        do {
            try file.writeAll(text)
        } catch {
            throw failure(path, error, hint: "the file may have part of the text; fix the cause, and run skr again")
        }
    }

    private init(_ path: String) throws {
        let target = try LinkedPath.target(of: path)
        guard !target.name.isEmpty else { throw Errno.isDirectory }
        folder = try OpenFolder(target.folder)
        self.path = path
        name = target.name
        var found = stat()
        isSharedFolder =
            unsafe fstat(folder.descriptor, &found) == 0 && found.st_mode & S_ISVTX != 0 && found.st_mode & 0o022 != 0
    }

    /// Returns the attributes of the file that the text replaces; `nil` for a new file.
    ///
    /// This refuses another user's file in a shared folder. Root could replace it, but that user would own the secrets.
    private func existing() throws -> stat? {
        let existing = try folder.attributes(of: name)
        guard isSharedFolder, let owner = existing?.st_uid, owner != geteuid() else { return existing }
        throw CommandError(
            exitCode: .noPermission,
            message:
                "can't write \(Display.quoted(path)): it belongs to user \(owner), and others can write to its folder",
            hint: "delete the file first, or name one in your own folder")
    }

    private func replace(by text: RawSpan) throws {
        let old = try existing()
        let draft = try folder.openUnnamed()
        defer { try? draft.close() }
        try draft.writeAll(text)
        guard Self.takeOver(old, to: draft.rawValue), fsync(draft.rawValue) == 0 else { throw Errno.last }
        do {
            if old == nil { return try folder.link(draft, as: name) }
        } catch Errno.fileExists {
            _ = try existing()
        }
        let before = OpenFolder.blockSignals()
        defer { OpenFolder.restoreSignals(before) }
        let other = OpenFolder.newName(".skr-")
        try folder.link(draft, as: other)
        if unsafe renameat(folder.descriptor, other, folder.descriptor, name) == 0 { return }
        let error = Errno.last
        try? folder.unlink(other)
        throw error
    }

    /// Gives the draft the mode of the file that it replaces and, if permitted, the owner too.
    private static func takeOver(_ existing: stat?, to draft: CInt) -> Bool {
        guard let existing else { return true }
        var mode = existing.st_mode & 0o777
        if fchown(draft, existing.st_uid, existing.st_gid) != 0, fchown(draft, uid_t.max, existing.st_gid) != 0 {
            // The group is a different one now, so it gets no permissions.
            mode &= ~0o070
        }
        return fchmod(draft, mode) == 0
    }

    private static func failure(_ path: String, _ error: any Error, hint: String) -> CommandError {
        let message = "can't write \(Display.quoted(path)): \(error.reason)"
        switch error as? Errno {
        case Errno.notSupported?:
            return .internalError(
                "can't write \(Display.quoted(path)): its file system doesn't support files without a name",
                hint: "write to another one, such as /run, or pass the text to a command: skr inject ... -- CMD")
        case Errno.permissionDenied?, Errno.notPermitted?, Errno.readOnlyFileSystem?:
            return CommandError(
                exitCode: .noPermission, message: message, hint: "name a file in a folder that you may write to")
        case Errno.noSuchFileOrDirectory?, Errno.notDirectory?, Errno.isDirectory?, Errno.tooManySymbolicLinkLevels?,
            Errno.fileNameTooLong?, Errno.noSuchAddressOrDevice?, Errno.invalidArgument?:
            return .usage(message, hint: "name a file in an existing folder")
        default: return .internalError(message, hint: hint)
        }
    }
}
