import CommandSupport
import CredentialHelpers
import Glibc
package import Keyutils
import SystemPackage

/// A part of a text, and what is to stand there.
package struct TextEdit: Equatable {
    package let range: Range<Int>
    package let replacement: String

    package init(_ range: Range<Int>, _ replacement: String) {
        self.range = range
        self.replacement = replacement
    }

    package func apply(to text: RawSpan) -> SecretBytes {
        SecretBytes { edited in
            edited.append(text.extracting(0..<range.lowerBound))
            edited.append(replacement)
            edited.append(text.extracting(range.upperBound..<text.byteCount))
        }
    }
}

/// A client's configuration, which may hold secrets: it is changed in one step, or stays as it was.
///
/// A link is followed. Not a file without a name, as ``InjectedFile`` has it: a home may be on NFS.
struct ConfigurationFile {
    private static let limit = 1 << 20

    let path: String
    /// What was read; `nil` where there is no file.
    let text: SecretBox?
    private let existing: stat?

    init(_ path: String) throws(CommandError) {
        self.path = path
        do {
            let file = try unsafe FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
            defer { try? file.close() }
            var found = stat()
            guard unsafe fstat(file.rawValue, &found) == 0 else { throw Errno.last }
            guard found.st_mode & S_IFMT == S_IFREG else { throw Self.unreadable(path, "it is no file") }
            guard found.st_size <= Self.limit else { throw Self.unreadable(path, "it has more than 1 MiB") }
            text = SecretBox(try SecretBytes.reading(file, limit: Self.limit))
            existing = found
        } catch Errno.noSuchFileOrDirectory {
            (text, existing) = (nil, nil)
        } catch let error as CommandError {
            throw error
        } catch {
            throw Self.unreadable(path, error.reason)
        }
    }

    static func unreadable(_ path: String, _ reason: String, hint: String? = nil) -> CommandError {
        .data(
            "\(Display.quoted(path)) stays as it is: \(reason)",
            hint: hint ?? "put it right, or leave out --write-config and change it by hand")
    }

    /// Puts the text there; a new file is for its owner alone.
    func write(_ text: RawSpan) throws(CommandError) {
        do {
            if existing == nil, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
                try LinkFolder.make(String(path[..<slash]), mode: 0o700)
            }
            let target = try LinkedPath.target(of: path)
            let draft = "\(target.folder)/.skr-\(String(UInt64.random(in: .min ... .max), radix: 36))"
            let file = try unsafe FileDescriptor.open(
                draft, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec, .noFollow],
                permissions: .ownerReadWrite)
            do {
                try file.closeAfter { try fill(file, in: target.folder, with: text) }
                try requireUnchanged()
                guard unsafe rename(draft, "\(target.folder)/\(target.name)") == 0 else { throw Errno.last }
            } catch {
                unsafe unlink(draft)
                throw error
            }
        } catch {
            throw failure(error)
        }
    }

    func delete() throws(CommandError) {
        do {
            let target = try LinkedPath.target(of: path)
            try requireUnchanged()
            guard unsafe unlink("\(target.folder)/\(target.name)") == 0 else { throw Errno.last }
        } catch {
            throw failure(error)
        }
    }

    private func fill(_ draft: FileDescriptor, in folder: String, with text: RawSpan) throws {
        try draft.writeAll(text)
        if let existing {
            var mode = existing.st_mode & 0o777
            if fchown(draft.rawValue, existing.st_uid, existing.st_gid) != 0 { mode &= ~0o070 }
            guard fchmod(draft.rawValue, mode) == 0 else { throw Errno.last }
        } else {
            try FolderOwner.give(draft, in: folder)
        }
        guard fsync(draft.rawValue) == 0 else { throw Errno.last }
    }

    /// What another program has written meanwhile must not be lost.
    private func requireUnchanged() throws(CommandError) {
        var found = stat()
        let isThere = unsafe stat(path, &found) == 0
        if let existing, isThere, found.st_ino == existing.st_ino, found.st_size == existing.st_size,
            found.st_mtim.tv_sec == existing.st_mtim.tv_sec, found.st_mtim.tv_nsec == existing.st_mtim.tv_nsec
        {
            return
        }
        guard existing != nil || isThere else { return }
        throw CommandError(
            exitCode: .tryAgain, message: "\(Display.quoted(path)) has just been changed by another program",
            hint: "try again")
    }

    private func failure(_ error: any Error) -> CommandError {
        if let error = error as? CommandError { return error }
        return CommandError(
            exitCode: .noPermission, message: "can't write \(Display.quoted(path)): \(error.reason)",
            hint: "it is as it was; make its folder writable, or change it by hand")
    }
}
