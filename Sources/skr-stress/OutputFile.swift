import CommandSupport
import Glibc
import SystemPackage

/// A file for a result, which is opened before there is a result, and keeps its old content until then.
///
/// A new file stays empty if the run fails.
struct OutputFile {
    private let name: String
    private let file: FileDescriptor

    var isStandardOutput: Bool { name == "-" }

    /// Opens or creates the file.
    ///
    /// - Throws: an error if the file can't be written.
    init(_ name: String) throws(CommandError) {
        self.name = name
        do {
            file =
                name == "-"
                ? .standardOutput
                : try .open(
                    FilePath(name), .writeOnly, options: [.create, .closeOnExec],
                    permissions: FilePermissions(rawValue: 0o666))
        } catch {
            throw Self.failure(name, error, .usage)
        }
    }

    func write(_ text: String) throws(CommandError) {
        guard !isStandardOutput else { return try Console.write(text) }
        do {
            try file.closeAfter {
                // Pipes and devices have no size.
                guard ftruncate(file.rawValue, 0) == 0 || errno == EINVAL else { throw Errno.last }
                try file.writeAll(text.utf8)
            }
        } catch {
            throw Self.failure(name, error, .internalError)
        }
    }

    private static func failure(_ name: String, _ error: any Error, _ exitCode: ExitCode) -> CommandError {
        CommandError(
            exitCode: exitCode, message: "can't write '\(name)': \(error.reason)",
            hint: "name a file in a folder that you can write to")
    }
}
