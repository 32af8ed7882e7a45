import CommandSupport
import CLinux
import Glibc

/// A file without a name, in memory, that holds a secret for a command and can't be changed any more.
enum MemoryFile {
    // From linux/memfd.h and linux/fcntl.h.
    private static let allowSealing: UInt32 = 0x2
    private static let noExecution: UInt32 = 0x8
    private static let addSeals: CInt = 1_033
    private static let allSeals: CInt = 0x1 | 0x2 | 0x4 | 0x8

    /// The path under which the command, and what it starts, can open the file.
    static func make(_ secret: SecretBox, of name: String) throws(CommandError) -> String {
        guard let descriptor = secret.bytes.withBytes({ sealed($0) }) else {
            throw failure(name, otherwise: "use --env")
        }
        return "/proc/self/fd/\(descriptor)"
    }

    /// Makes the file what the command reads from standard input.
    static func becomeStandardInput(_ text: RawSpan) throws(CommandError) {
        guard let descriptor = sealed(text), dup2(descriptor, STDIN_FILENO) == STDIN_FILENO else {
            throw failure("standard input", otherwise: "use -o")
        }
        close(descriptor)
    }

    private static func sealed(_ bytes: RawSpan) -> CInt? {
        let descriptor = create()
        // Programs such as ssh and psql refuse a file that others than its owner may read.
        guard descriptor >= 0, Console.put(bytes, to: descriptor), fchmod(descriptor, S_IRUSR) == 0,
            lseek(descriptor, 0, SEEK_SET) == 0, fcntl(descriptor, addSeals, allSeals) == 0
        else { return nil }
        return descriptor
    }

    /// A descriptor that lives on in the command, above those that a program takes for its own.
    private static func create() -> CInt {
        // Before Linux 6.3 there is no file that can't be executed.
        var descriptor = unsafe memfd_create("skr", allowSealing | noExecution)
        if descriptor < 0 && errno == EINVAL { descriptor = unsafe memfd_create("skr", allowSealing) }
        guard (0...STDERR_FILENO).contains(descriptor) else { return descriptor }
        let higher = fcntl(descriptor, F_DUPFD, STDERR_FILENO + 1)
        let code = errno
        close(descriptor)
        errno = code
        return higher
    }

    private static func failure(_ name: String, otherwise: String) -> CommandError {
        let reason = unsafe String(cString: strerror(errno)).lowercased()
        return CommandError(
            exitCode: .internalError, message: "can't make a file in memory for \(name): \(reason)",
            hint: "allow memfd_create in the container's seccomp profile, or \(otherwise)"
        )
    }
}
