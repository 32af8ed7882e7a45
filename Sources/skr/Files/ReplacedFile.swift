import CommandSupport
import Glibc
import SystemPackage

/// Writes a text with secrets to a file in one step; on any error, the file stays unchanged.
///
/// Until the text is complete, it is in a file without a name, which vanishes with this process. Only if it replaces
/// another file does it have a temporary name for a moment. A `kill -9` at that moment leaves the temporary file.
struct ReplacedFile: ~Copyable {
    /// The state in which the text may replace the file.
    enum Condition {
        case any
        case absent
        /// The file still has these attributes.
        case unchanged(stat)

        fileprivate func isMet(by found: stat?) -> Bool {
            switch self {
            case .any: true
            case .absent: found == nil
            case .unchanged(let old): found.map { $0.isSameFile(as: old) } ?? false
            }
        }
    }

    private let path: String
    private let folder: OpenFolder
    private let name: String
    /// Whether other users can put files into the folder but can't remove ours, as in `/tmp`.
    private let isSharedFolder: Bool

    /// Writes the text to this path; without a condition, it writes directly if the path is a FIFO or a device.
    static func write(_ text: RawSpan, to path: String, if condition: Condition = .any) throws(CommandError) {
        do {
            var found = stat()
            if case .any = condition, unsafe stat(path, &found) == 0, found.st_mode & S_IFMT != S_IFREG {
                return try writeDirectly(text, to: path)
            }
            try ReplacedFile(path).replace(by: text, if: condition)
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
        guard found.st_mode & S_IFMT != S_IFREG else { throw hasChanged(path) }
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

    private func replace(by text: RawSpan, if condition: Condition) throws {
        let old = try existing()
        guard condition.isMet(by: old) else { throw Self.hasChanged(path) }
        let draft = try folder.openUnnamed()
        defer { try? draft.close() }
        try draft.writeAll(text)
        guard Self.takeOver(old, to: draft.rawValue), fsync(draft.rawValue) == 0 else { throw Errno.last }
        do {
            if old == nil { return try folder.link(draft, as: name) }
        } catch Errno.fileExists {
            guard case .any = condition else { throw Self.hasChanged(path) }
            _ = try existing()
        }
        let before = OpenFolder.blockSignals()
        defer { OpenFolder.restoreSignals(before) }
        let other = OpenFolder.newName(".skr-")
        try folder.link(draft, as: other)
        let isUnchanged = condition.isMet(by: (try? folder.attributes(of: name)) ?? nil)
        if isUnchanged, unsafe renameat(folder.descriptor, other, folder.descriptor, name) == 0 { return }
        let error: any Error = isUnchanged ? Errno.last : Self.hasChanged(path)
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

    private static func hasChanged(_ path: String) -> CommandError {
        CommandError(
            exitCode: .tryAgain, message: "can't write \(Display.quoted(path)): another program has just changed it",
            hint: "try again")
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

extension stat {
    /// Returns whether this is the same file, and nothing has written to it or changed its attributes.
    fileprivate func isSameFile(as other: stat) -> Bool {
        st_dev == other.st_dev && st_ino == other.st_ino && st_size == other.st_size
            && st_ctim.tv_sec == other.st_ctim.tv_sec && st_ctim.tv_nsec == other.st_ctim.tv_nsec
    }
}
