import CommandSupport
import Glibc
package import Keyutils
import SecretText
import SystemPackage

/// A range of a text and the replacement for it.
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

/// The content of a client's configuration file when it was read; it can contain secrets.
///
/// Symbolic links are followed.
struct ConfigurationFile: ~Copyable {
    private static let limit = 1 << 20

    let path: String
    /// The content; `nil` if the file doesn't exist.
    let text: SecretBox?
    private let original: OriginalFile?

    init(_ path: String) throws(CommandError) {
        self.path = path
        do {
            let file = try unsafe FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
            let (text, original) = try Self.read(file, path)
            self.text = text
            self.original = original
        } catch Errno.noSuchFileOrDirectory {
            (text, original) = (nil, nil)
        } catch let error as CommandError {
            throw error
        } catch {
            throw Self.unreadable(path, error.reason)
        }
    }

    private static func read(_ file: FileDescriptor, _ path: String) throws -> (SecretBox, OriginalFile) {
        do {
            var found = stat()
            guard unsafe fstat(file.rawValue, &found) == 0 else { throw Errno.last }
            guard found.st_mode & S_IFMT == S_IFREG else { throw unreadable(path, "it is not a regular file") }
            guard found.st_size <= limit else { throw unreadable(path, "it is larger than 1 MiB") }
            let text = SecretBox(try SecretBytes.reading(file, limit: limit))
            return (text, OriginalFile(file: file, attributes: found, text: text))
        } catch {
            try? file.close()
            throw error
        }
    }

    deinit {
        try? original?.file.close()
    }

    static func unreadable(_ path: String, _ reason: String, hint: String? = nil) -> CommandError {
        .data(
            "did not edit \(Display.quoted(path)): \(reason)",
            hint: hint ?? "fix the file, or edit it by hand: without --write-config, skr prints the lines")
    }

    /// Replaces the content of the file; only its owner can access a new file.
    ///
    /// - Returns: false if another program has changed the file since it was read.
    func replace(by text: RawSpan, for user: SetupUser) throws(CommandError) -> Bool {
        try requireChangeable(for: user)
        return try change { folder, name throws(Errno) in try folder.put(text, at: name, insteadOf: original) }
    }

    /// Deletes the file.
    ///
    /// - Returns: false if another program has changed the file since it was read.
    func delete(for user: SetupUser) throws(CommandError) -> Bool {
        try requireChangeable(for: user)
        guard let original else { return true }
        return try change { folder, name throws(Errno) in try folder.delete(name, ifStill: original) }
    }

    private func change(_ body: (borrowing DraftFolder, String) throws(Errno) -> Bool) throws(CommandError) -> Bool {
        do {
            if original == nil, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
                try LinkFolder.make(String(path[..<slash]), mode: 0o700)
            }
            let target = try LinkedPath.target(of: path)
            let folder = try DraftFolder(target.folder)
            let before = OpenFolder.blockSignals()
            defer { OpenFolder.restoreSignals(before) }
            return try body(folder, target.name)
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(
                exitCode: .noPermission, message: "can't write \(Display.quoted(path)): \(error.reason)",
                hint: "nothing was changed; make sure that you own the file and its folder, or edit the file by hand")
        }
    }

    /// Deletes the drafts that killed processes have left next to the file.
    func removeOrphans() {
        guard let folder = (try? LinkedPath.target(of: path))?.folder else { return }
        try? DraftFolder(folder).removeOrphans()
    }

    private func requireChangeable(for user: SetupUser) throws(CommandError) {
        guard let found = original?.attributes else { return }
        guard found.st_nlink <= 1 else {
            throw Self.unreadable(path, "it has \(found.st_nlink) hard links, and only one of them would change")
        }
        var home = stat()
        guard geteuid() == 0, unsafe stat(user.home, &home) == 0, home.st_uid != 0, home.st_uid != found.st_uid else {
            return
        }
        throw CommandError(
            exitCode: .noPermission,
            message:
                "did not edit \(Display.quoted(path)): its owner is not the owner of \(Display.quoted(user.home))",
            hint: "chown --reference=\(Display.shellWord(user.home)) \(Display.shellWord(path))")
    }

}

/// An open file and the content that was read from it.
struct OriginalFile {
    let file: FileDescriptor
    let attributes: stat
    let text: SecretBox
}
