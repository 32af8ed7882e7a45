import CLinux
import CommandSupport
import Glibc
import Keyutils
import SecretText
import SystemPackage

/// A folder in which a configuration is replaced in one step, without losing another program's write.
///
/// 1. The new content goes into a file without a name, which vanishes with this process. On file systems without such
///    files (NFS, FAT), it goes into a draft, a file with a random name.
/// 2. The file without a name becomes a draft too. The draft and the original are exchanged
///    (`renameat2`, `RENAME_EXCHANGE`).
/// 3. The original, which now has the draft's name, is compared with the text that was read. If another program has
///    written in between, the two files are exchanged back.
/// 4. The draft's name is deleted.
///
/// Signals are blocked during all steps. SIGKILL between steps 2 and 4 leaves a draft, which a later run deletes. Every
/// process holds a shared lock on the folder as long as it has a draft there. It deletes the drafts of others only if
/// it can lock the folder exclusively.
///
/// Two races remain. A program that reads the file between the two exchanges, and then writes it back, loses the
/// write in between. Without `RENAME_EXCHANGE`, the original is first compared and then replaced, and a write in
/// between is lost.
struct DraftFolder: ~Copyable {
    private static let prefix = ".skr-setup-"

    /// The flags of `renameat2`.
    private enum Rename: UInt32 {
        case replacing = 0
        case withoutReplacing = 1
        case exchanging = 2
    }

    private let path: String
    private let folder: OpenFolder

    init(_ path: String) throws(Errno) {
        self.path = path
        folder = try OpenFolder(path)
    }

    func removeOrphans() {
        let lock = FolderLock(path, LOCK_EX, tries: 1)
        defer { lock.release() }
        guard lock.isHeld else { return }
        for name in FolderNames.all(in: path) where name.hasPrefix(Self.prefix) { try? folder.unlink(name) }
    }

    /// Puts a file with this content into the folder.
    ///
    /// - Parameter original: the file that it replaces; `nil` for a new file.
    /// - Returns: false if another program has put a different file there in the meantime.
    func put(_ text: RawSpan, at name: String, insteadOf original: OriginalFile?) throws(Errno) -> Bool {
        let lock = FolderLock(path, LOCK_SH)
        defer { lock.release() }
        let draft = OpenFolder.newName(Self.prefix)
        let file = try makeDraft(draft, of: text, like: original)
        defer {
            try? folder.unlink(draft)
            try? file.close()
        }
        guard let original else { return try move(draft, to: name, .withoutReplacing) }
        // Checked before the exchange too, so that other programs rarely see a file that is then taken back.
        guard try isStill(original, name) else { return false }
        do throws(Errno) {
            guard try move(draft, to: name, .exchanging) else { return false }
        } catch {
            guard error == .invalidArgument else { throw error }
            return try move(draft, to: name, .replacing)
        }
        if try isStill(original, draft) { return true }
        _ = try move(draft, to: name, .exchanging)
        // If the draft's name doesn't have our draft now, it has an even newer write, which goes back to
        // the file's name.
        if try !isSame(file.rawValue, draft) { _ = try move(draft, to: name, .exchanging) }
        return false
    }

    /// Deletes the file if it is still the file that was read.
    ///
    /// - Returns: false if another program has put a different file there in the meantime.
    func delete(_ name: String, ifStill original: OriginalFile) throws(Errno) -> Bool {
        let lock = FolderLock(path, LOCK_SH)
        defer { lock.release() }
        let draft = OpenFolder.newName(Self.prefix)
        guard try isStill(original, name), try move(name, to: draft, .withoutReplacing) else { return false }
        let isDeleted = try isStill(original, draft)
        if !isDeleted, try move(draft, to: name, .withoutReplacing) { return false }
        try folder.unlink(draft)
        return isDeleted
    }

    /// Creates a draft with this name and content.
    private func makeDraft(
        _ name: String, of text: RawSpan, like original: OriginalFile?
    ) throws(Errno) -> FileDescriptor {
        let (file, isNamed) = try openDraft(name)
        do {
            try file.writeAll(text)
            try giveOwner(of: original, to: file)
            guard fsync(file.rawValue) == 0 else { throw Errno.last }
            if !isNamed { try folder.link(file, as: name) }
            return file
        } catch {
            if isNamed { try? folder.unlink(name) }
            try? file.close()
            throw error as? Errno ?? .ioError
        }
    }

    private func openDraft(_ name: String) throws(Errno) -> (FileDescriptor, isNamed: Bool) {
        do throws(Errno) {
            return (try folder.openUnnamed(), false)
        } catch {
            let unknown: [Errno] = [.notSupportedOnSocket, .isDirectory, .noSuchFileOrDirectory, .invalidArgument]
            guard unknown.contains(error) else { throw error }
        }
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = unsafe openat(folder.descriptor, name, flags, 0o600)
        guard file >= 0 else { throw .last }
        return (FileDescriptor(rawValue: file), true)
    }

    private func giveOwner(of original: OriginalFile?, to file: FileDescriptor) throws(Errno) {
        guard let found = original?.attributes else { return try FolderOwner.give(file, in: path) }
        guard fchown(file.rawValue, found.st_uid, found.st_gid) == 0,
            fchmod(file.rawValue, found.st_mode & 0o777) == 0
        else { throw .last }
    }

    /// Renames a file in the folder.
    ///
    /// - Returns: false if an exchange finds no other file, or if a move that must not replace a file finds one.
    private func move(_ name: String, to other: String, _ kind: Rename) throws(Errno) -> Bool {
        if unsafe renameat2(folder.descriptor, name, folder.descriptor, other, kind.rawValue) == 0 { return true }
        switch (Errno.last, kind) {
        case (.fileExists, .withoutReplacing), (.noSuchFileOrDirectory, .exchanging): return false
        case (.invalidArgument, .withoutReplacing), (.noFunction, .withoutReplacing):
            guard unsafe faccessat(folder.descriptor, other, F_OK, AT_SYMLINK_NOFOLLOW) != 0 else { return false }
            return try move(name, to: other, .replacing)
        case (.invalidArgument, .exchanging), (.noFunction, .exchanging), (.notSupported, .exchanging):
            throw .invalidArgument
        case (let error, _): throw error
        }
    }

    /// Returns whether this name still has the file that was read, with the same content.
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
        var own = stat()
        guard unsafe fstat(file, &own) == 0 else { throw .last }
        let found = try folder.attributes(of: name)
        return own.st_ino == found?.st_ino && own.st_dev == found?.st_dev
    }
}

/// A lock on a folder, shared by the processes that have drafts there.
private struct FolderLock: ~Copyable {
    /// The folder, opened for this lock alone because a lock belongs to the open file; negative if it can't be read.
    private let folder: CInt
    let isHeld: Bool

    /// Locks the folder, trying once every millisecond.
    ///
    /// If another program keeps the folder locked, nobody deletes drafts, so a change doesn't need the lock.
    init(_ path: String, _ operation: CInt, tries: Int = 1_000) {
        folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        var isHeld = flock(folder, operation | LOCK_NB) == 0
        for _ in 1..<tries where !isHeld && errno == EWOULDBLOCK {
            usleep(1_000)
            isHeld = flock(folder, operation | LOCK_NB) == 0
        }
        self.isHeld = isHeld
    }

    func release() {
        if folder >= 0 { close(folder) }
    }
}
