import CommandSupport
import Glibc
import SystemPackage

/// A file for a result, which is known to be writable before there is a result.
struct OutputFile {
    private enum Way {
        case standardOutput
        /// A pipe, a terminal, or something else that can't be replaced.
        case descriptor(FileDescriptor)
        /// A regular file, which is replaced in one step.
        case replacing(path: String, permissions: mode_t)
    }

    private let name: String
    private let way: Way

    var isStandardOutput: Bool { name == "-" }

    /// Finds out how to write to the file.
    ///
    /// - Throws: an error if the file can't be written.
    init(_ name: String) throws(CommandError) {
        self.name = name
        do {
            way = try Self.way(to: name)
        } catch {
            throw Self.failure(name, error, .usage)
        }
    }

    func write(_ text: String) throws(CommandError) {
        do {
            switch way {
            case .standardOutput: try Console.write(text)
            case .descriptor(let file): try file.writeAll(text.utf8)
            case .replacing(let path, let permissions): try Self.replace(path, by: text, permissions)
            }
        } catch let error as CommandError {
            throw error
        } catch {
            throw Self.failure(name, error, .internalError)
        }
    }

    private static func way(to name: String) throws -> Way {
        guard name != "-" else { return .standardOutput }
        guard !name.isEmpty else { throw Errno.noSuchFileOrDirectory }
        var attributes = stat()
        let exists = unsafe stat(name, &attributes) == 0
        if exists, attributes.st_mode & S_IFMT != S_IFREG {
            return .descriptor(try FileDescriptor.open(FilePath(name), .writeOnly, options: .closeOnExec))
        }
        if exists, unsafe access(name, W_OK) != 0 { throw Errno.last }
        let mask = umask(0)
        umask(mask)
        let path = exists ? resolved(name) : name
        let permissions = exists ? attributes.st_mode & 0o7777 : 0o666 & ~mask
        // Creating a file there is the best proof that it is possible.
        try replace(path, by: nil, permissions)
        return .replacing(path: path, permissions: permissions)
    }

    /// Creates a new file next to the old one, and renames it once it is complete.
    ///
    /// - Parameter text: the content; `nil` to leave the old file unchanged and remove the new one.
    private static func replace(_ path: String, by text: String?, _ permissions: mode_t) throws {
        let directory = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        let draft = "\(directory).skr-stress-\(UInt64.random(in: 0 ... .max))"
        let file = try FileDescriptor.open(
            FilePath(draft), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
            permissions: .ownerReadWrite)
        // After the rename, no file has this name.
        defer { unsafe unlink(draft) }
        try file.closeAfter {
            try file.writeAll((text ?? "").utf8)
            guard fchmod(file.rawValue, permissions) == 0 else { throw Errno.last }
        }
        if text != nil, unsafe rename(draft, path) != 0 { throw Errno.last }
    }

    /// The file that a symbolic link leads to, so that the link itself stays.
    private static func resolved(_ path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    private static func failure(_ name: String, _ error: any Error, _ exitCode: ExitCode) -> CommandError {
        CommandError(
            exitCode: exitCode, message: "can't write '\(name)': \(error.reason)",
            hint: "name a file in a folder that you can write to")
    }
}
