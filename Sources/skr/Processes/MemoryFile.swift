import CLinux
import CommandSupport
import Glibc
import SecretText
import SystemPackage

/// A file in memory that passes a secret to a command; it has no name and is sealed against changes.
enum MemoryFile {
    // From linux/memfd.h and linux/fcntl.h.
    private static let allowSealing: UInt32 = 0x2
    private static let noExecution: UInt32 = 0x8
    private static let addSeals: CInt = 1_033
    private static let allSeals: CInt = 0x1 | 0x2 | 0x4 | 0x8

    /// Returns a path by which the command, and every program that it starts, can open the file.
    static func make(_ secret: SecretBox, of name: String) throws(CommandError) -> String {
        do {
            return "/proc/self/fd/\(try secret.bytes.withBytes(sealed).rawValue)"
        } catch {
            throw failure(name, error, otherwise: "use --env")
        }
    }

    /// Makes this text the standard input of the command that this process will become.
    static func becomeStandardInput(_ text: RawSpan) throws(CommandError) {
        do {
            let file = try sealed(text)
            _ = try file.duplicate(as: .standardInput)
            try file.close()
        } catch {
            throw failure("standard input", error, otherwise: "use -o")
        }
    }

    private static func sealed(_ bytes: RawSpan) throws -> FileDescriptor {
        let file = try create()
        try file.writeAll(bytes)
        try file.seek(offset: 0, from: .start)
        // Programs such as ssh and psql refuse a file that anybody but its owner can read.
        guard fchmod(file.rawValue, S_IRUSR) == 0, fcntl(file.rawValue, addSeals, allSeals) == 0 else {
            throw Errno.last
        }
        return file
    }

    /// Creates the file; the command inherits its descriptor, which isn't a standard one.
    private static func create() throws(Errno) -> FileDescriptor {
        // Linux before 6.3 doesn't know the second flag.
        var descriptor = unsafe memfd_create("skr", allowSealing | noExecution)
        if descriptor < 0 && errno == EINVAL { descriptor = unsafe memfd_create("skr", allowSealing) }
        guard descriptor >= 0 else { throw .last }
        guard descriptor <= STDERR_FILENO else { return FileDescriptor(rawValue: descriptor) }
        defer { close(descriptor) }
        return try FileDescriptor(rawValue: descriptor).duplicateAboveStandard(closesOnExec: false)
    }

    private static func failure(_ name: String, _ error: any Error, otherwise: String) -> CommandError {
        .internalError(
            "can't create a file in memory for \(name): \(error.reason)",
            hint: "allow memfd_create in the container's seccomp profile, or \(otherwise)")
    }
}
