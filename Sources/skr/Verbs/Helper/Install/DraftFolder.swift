import CLinux
import CommandSupport
import CredentialHelpers
import Glibc
import Keyutils
import SystemPackage

/// A folder in which a configuration is replaced in one step, without losing another program's write.
///
/// 1. The new content goes into a file without a name, which vanishes with this process. On file systems without
///    such files (NFS, FAT), it goes into a draft, a file with a random name.
/// 2. The draft gets its name, and changes places with the original (`renameat2`, `RENAME_EXCHANGE`).
/// 3. The original, which is now under the draft's name, is compared with what was read. If another program has written in
///    between, both change places again.
/// 4. The draft's name is deleted.
///
/// Signals are blocked throughout. SIGKILL between 2 and 4 leaves a draft. Each process holds a shared lock on its draft and
/// on the original, so the next run takes a draft that nobody has locked for an orphan, and deletes it. Without
/// `RENAME_EXCHANGE`, the original is compared and then replaced, and a write in between is lost.
struct DraftFolder: ~Copyable {
    private static let prefix = ".skr-setup-"
    /// From linux/fcntl.h: O_TMPFILE without its O_DIRECTORY, O_PATH, and AT_EMPTY_PATH.
    private static let (unnamed, placeOnly, descriptorItself): (CInt, CInt, CInt) = (0o20_000_000, 0o10_000_000, 0x1000)

    /// Flags of `renameat2`.
    private enum Rename: UInt32 {
        case replacing = 0
        case withoutReplacing = 1
        case exchanging = 2
    }

    private let path: String
    private let descriptor: CInt

    init(_ path: String) throws(Errno) {
        self.path = path
        descriptor = unsafe open(path, Self.placeOnly | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last }
    }

    deinit {
        close(descriptor)
    }

    func removeOrphans() {
        for name in FolderNames.all(in: path) where name.hasPrefix(Self.prefix) {
            let file = unsafe openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard file >= 0 else { continue }
            if flock(file, LOCK_EX | LOCK_NB) == 0 { unsafe unlinkat(descriptor, name, 0) }
            close(file)
        }
    }

    /// Puts a file with this content there.
    ///
    /// - Parameter original: the file that it replaces; `nil` for a new file.
    /// - Returns: false if there is another file by now.
    func put(_ text: RawSpan, at name: String, insteadOf original: OriginalFile?) throws(Errno) -> Bool {
        let before = Self.blockSignals()
        defer { Self.restoreSignals(before) }
        let draft = "\(Self.prefix)\(String(UInt64.random(in: .min ... .max), radix: 36))"
        let file = try openDraft(draft)
        defer {
            unsafe unlinkat(descriptor, draft, 0)
            close(file)
        }
        try fill(file, with: text, like: original)
        try giveName(draft, to: file)
        guard let original else { return try move(draft, to: name, .withoutReplacing) }
        flock(original.file.rawValue, LOCK_SH | LOCK_NB)
        do throws(Errno) {
            guard try move(draft, to: name, .exchanging) else { return false }
        } catch {
            guard error == .invalidArgument else { throw error }
            guard try isStill(original, name) else { return false }
            return try move(draft, to: name, .replacing)
        }
        if try isStill(original, draft) { return true }
        _ = try move(draft, to: name, .exchanging)
        // If this is not our draft, it is a write that is newer still.
        if try !isSame(file, draft) { _ = try move(draft, to: name, .exchanging) }
        return false
    }

    /// Deletes the file, if it is still what was read.
    ///
    /// - Returns: false if there is another file by now.
    func delete(_ name: String, ifStill original: OriginalFile) throws(Errno) -> Bool {
        let before = Self.blockSignals()
        defer { Self.restoreSignals(before) }
        let draft = "\(Self.prefix)\(String(UInt64.random(in: .min ... .max), radix: 36))"
        flock(original.file.rawValue, LOCK_SH | LOCK_NB)
        guard try isStill(original, name), try move(name, to: draft, .withoutReplacing) else { return false }
        let isDeleted = try isStill(original, draft)
        if !isDeleted, try move(draft, to: name, .withoutReplacing) { return false }
        guard unsafe unlinkat(descriptor, draft, 0) == 0 else { throw .last }
        return isDeleted
    }

    private func openDraft(_ name: String) throws(Errno) -> CInt {
        var file = unsafe openat(descriptor, ".", O_WRONLY | Self.unnamed | O_DIRECTORY | O_CLOEXEC, 0o600)
        if file < 0, [EOPNOTSUPP, EISDIR, ENOENT, EINVAL].contains(errno) {
            file = unsafe openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        guard file >= 0 else { throw .last }
        flock(file, LOCK_SH | LOCK_NB)
        return file
    }

    private func fill(_ draft: CInt, with text: RawSpan, like original: OriginalFile?) throws(Errno) {
        let file = FileDescriptor(rawValue: draft)
        do {
            try file.writeAll(text)
        } catch {
            throw error as? Errno ?? .ioError
        }
        if let original {
            let attributes = original.attributes
            guard fchown(draft, attributes.st_uid, attributes.st_gid) == 0,
                fchmod(draft, attributes.st_mode & 0o777) == 0
            else { throw .last }
        } else {
            try FolderOwner.give(file, in: path)
        }
        guard fsync(draft) == 0 else { throw .last }
    }

    private func giveName(_ name: String, to draft: CInt) throws(Errno) {
        // The first call needs a capability or a recent kernel, the second one needs /proc. A draft with a name has it already.
        let isNamed =
            unsafe linkat(draft, "", descriptor, name, Self.descriptorItself) == 0
            || linkat(AT_FDCWD, "/proc/self/fd/\(draft)", descriptor, name, AT_SYMLINK_FOLLOW) == 0
        guard isNamed || errno == EEXIST else { throw .last }
    }

    /// - Returns: false if the other file is missing, or, for a move that doesn't replace, there.
    private func move(_ name: String, to other: String, _ kind: Rename) throws(Errno) -> Bool {
        if unsafe renameat2(descriptor, name, descriptor, other, kind.rawValue) == 0 { return true }
        switch (Errno.last, kind) {
        case (.fileExists, .withoutReplacing), (.noSuchFileOrDirectory, .exchanging): return false
        case (.invalidArgument, .withoutReplacing), (.noFunction, .withoutReplacing):
            guard unsafe faccessat(descriptor, other, F_OK, AT_SYMLINK_NOFOLLOW) != 0 else { return false }
            return try move(name, to: other, .replacing)
        case (.invalidArgument, .exchanging), (.noFunction, .exchanging), (.notSupported, .exchanging):
            throw .invalidArgument
        case (let error, _): throw error
        }
    }

    /// Whether that is the file that was read, with the same content.
    private func isStill(_ original: OriginalFile, _ name: String) throws(Errno) -> Bool {
        guard try isSame(original.file.rawValue, name) else { return false }
        var now = stat()
        let before = original.attributes
        guard unsafe fstat(original.file.rawValue, &now) == 0 else { throw .last }
        guard
            (now.st_size, now.st_mode, now.st_uid, now.st_gid) == (
                before.st_size, before.st_mode, before.st_uid, before.st_gid
            )
        else { return false }
        guard lseek(original.file.rawValue, 0, SEEK_SET) == 0 else { throw .last }
        let text = try SecretBytes.reading(original.file, limit: original.text.count + 1)
        return text.isEqual(to: original.text.bytes)
    }

    private func isSame(_ file: CInt, _ name: String) throws(Errno) -> Bool {
        var (own, found) = (stat(), stat())
        guard unsafe fstat(file, &own) == 0 else { throw .last }
        guard unsafe fstatat(descriptor, name, &found, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return false }
            throw .last
        }
        return own.st_ino == found.st_ino && own.st_dev == found.st_dev
    }

    /// Blocks all signals but SIGKILL and SIGSTOP; returns the mask from before.
    private static func blockSignals() -> sigset_t {
        var (all, before) = (sigset_t(), sigset_t())
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        return before
    }

    private static func restoreSignals(_ mask: sigset_t) {
        var mask = mask
        unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
    }
}
