import CommandSupport
import Glibc

/// A file that a result goes to, known to be writable before there is a result.
struct OutputFile {
    private enum Way {
        case standardOutput
        /// A pipe, a terminal, or another thing that can't be replaced.
        case descriptor(CInt)
        /// A file that appears complete, in the place of the one before.
        case replacing(path: String, permissions: mode_t)
    }

    let name: String
    private let way: Way

    var isStandardOutput: Bool {
        if case .standardOutput = way { true } else { false }
    }

    /// - Throws: where it can't be written.
    init(_ name: String) throws(CommandError) {
        self.name = name
        guard name != "-" else {
            way = .standardOutput
            return
        }
        guard !name.isEmpty else { throw Self.failure(name, code: ENOENT) }
        var attributes = stat()
        let exists = unsafe stat(name, &attributes) == 0
        if exists, attributes.st_mode & S_IFMT != S_IFREG {
            let descriptor = unsafe open(name, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Self.failure(name) }
            way = .descriptor(descriptor)
            return
        }
        if exists, unsafe access(name, W_OK) != 0 { throw Self.failure(name) }
        let mask = umask(0)
        umask(mask)
        let path = exists ? Self.resolved(name) : name
        way = .replacing(path: path, permissions: exists ? attributes.st_mode & 0o7777 : 0o666 & ~mask)
        // Nothing proves better that a file can be made there.
        let (descriptor, draft) = try Self.makeDraft(of: path, name: name)
        close(descriptor)
        unsafe unlink(draft)
    }

    func write(_ text: String) throws(CommandError) {
        switch way {
        case .standardOutput: try Console.write(text)
        case .descriptor(let descriptor):
            guard unsafe Console.put(text.utf8Span.span.bytes, to: descriptor) else {
                throw Self.failure(name, exitCode: .internalError)
            }
        case .replacing(let path, let permissions):
            let (descriptor, draft) = try Self.makeDraft(of: path, name: name)
            let isWritten =
                unsafe Console.put(text.utf8Span.span.bytes, to: descriptor) && fchmod(descriptor, permissions) == 0
            let code = errno
            let isClosed = close(descriptor) == 0
            if isWritten, isClosed, unsafe rename(draft, path) == 0 { return }
            let error = Self.failure(name, exitCode: .internalError, code: isWritten ? errno : code)
            unsafe unlink(draft)
            throw error
        }
    }

    /// A new file beside the one that it will replace.
    private static func makeDraft(of path: String, name: String) throws(CommandError) -> (CInt, path: String) {
        let directory = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        // mkstemp(3) puts a name that is free in the place of these.
        let free = String(repeating: "X", count: 6)
        var template = Array("\(directory).skr-stress-\(free)".utf8CString)
        let descriptor = unsafe template.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.baseAddress.map { unsafe mkstemp($0) } ?? -1
        }
        guard descriptor >= 0 else { throw failure(name) }
        return (descriptor, String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    /// What a symbolic link stands for, so that the link stays.
    private static func resolved(_ path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    private static func failure(
        _ name: String,
        exitCode: ExitCode = .usage,
        code: CInt = errno
    ) -> CommandError {
        let reason = unsafe String(cString: strerror(code)).lowercased()
        return CommandError(
            exitCode: exitCode, message: "can't write '\(name)': \(reason)",
            hint: "name a file in a directory that you may write to")
    }
}
