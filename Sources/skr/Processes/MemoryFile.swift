import CLinux
import CommandSupport
import Glibc
import SecretText
import SystemPackage

/// A file in memory, without a name and sealed against changes, that hands a secret to a command.
enum MemoryFile {
    // From linux/memfd.h and linux/fcntl.h.
    private static let allowSealing: UInt32 = 0x2
    private static let noExecution: UInt32 = 0x8
    private static let addSeals: CInt = 1_033
    private static let allSeals: CInt = 0x1 | 0x2 | 0x4 | 0x8

    /// The path under which the command, and what it starts, can open the file.
    static func make(_ secret: SecretBox, of name: String) throws(CommandError) -> String {
        do {
            return "/proc/self/fd/\(try secret.bytes.withBytes(sealed).rawValue)"
        } catch {
            throw failure(name, error, otherwise: "use --env")
        }
    }

    /// Makes the file what the command reads from standard input.
    static func becomeStandardInput(_ text: RawSpan) throws(CommandError) {
        do {
            let file = try sealed(text)
            _ = try file.duplicate(as: .standardInput)
            try file.close()
        } catch {
            throw failure("standard input", error, otherwise: "use -o")
        }
    }

    /// The file as an input of a program that is started next.
    static func input(_ text: RawSpan) throws(CommandError) -> FileDescriptor {
        do {
            return try sealed(text)
        } catch {
            throw failure("an input", error, otherwise: "leave out --write-config")
        }
    }

    private static func sealed(_ bytes: RawSpan) throws -> FileDescriptor {
        let file = try create()
        try file.writeAll(bytes)
        try file.seek(offset: 0, from: .start)
        // Programs such as ssh and psql refuse a file that anybody but its owner may read.
        guard fchmod(file.rawValue, S_IRUSR) == 0, fcntl(file.rawValue, addSeals, allSeals) == 0 else {
            throw Errno.last
        }
        return file
    }

    /// A descriptor that the command inherits, and that is none of the standard ones.
    private static func create() throws(Errno) -> FileDescriptor {
        // Linux before 6.3 does not know the second flag.
        var descriptor = unsafe memfd_create("skr", allowSealing | noExecution)
        if descriptor < 0 && errno == EINVAL { descriptor = unsafe memfd_create("skr", allowSealing) }
        guard descriptor >= 0 else { throw .last }
        guard descriptor <= STDERR_FILENO else { return FileDescriptor(rawValue: descriptor) }
        defer { close(descriptor) }
        return try FileDescriptor(rawValue: descriptor).duplicateAboveStandard(closesOnExec: false)
    }

    private static func failure(_ name: String, _ error: any Error, otherwise: String) -> CommandError {
        .internalError(
            "can't make a file in memory for \(name): \(error.reason)",
            hint: "allow memfd_create in the container's seccomp profile, or \(otherwise)")
    }
}
