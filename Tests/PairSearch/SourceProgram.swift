import CLinux
import CTestPause
import Glibc
import StressSuite

/// The executable `skr`, as it answers a `get` from a source.
///
/// It is a child of an operation's process, so the kernel asks before each of its keyring calls too.
enum SourceProgram {
    struct Answer {
        let exitCode: CInt
        /// The secret; empty after a failure.
        let secret: String
        /// When the source's command ran, in nanoseconds; 0 if it did not run.
        let ran: UInt64
        let errors: String
    }

    /// The executable that was built next to this one, and the sources file.
    ///
    /// Scenes become users who can't open them.
    nonisolated(unsafe) private static var (executable, sources): (CInt, CInt) = (-1, -1)

    /// The time goes to standard error, because only the secret reaches the caller.
    private static let line = """
        \(SceneItem.contested.service) --namespace \(SceneItem.namespace) --timeout-from-json expires_in --field value \
        -- sh -c 'date +%s%N >&2; exec printenv SKR_PAIR_SECRET'

        """

    /// Opens both files.
    static func prepare() throws {
        guard let path = realpath("/proc/self/exe", nil) else { throw SceneError("no /proc: errno \(errno)") }
        executable = open(String(cString: dirname(path)) + "/skr", O_RDONLY)
        sources = memfd_create("sources", 0)
        guard executable >= 0, fchmod(sources, 0o644) == 0, write(sources, line, line.utf8.count) == line.utf8.count
        else { throw SceneError("can't prepare the source: errno \(errno)") }
    }

    static func get(printing secret: String, lasting timeout: UInt32) throws -> Answer {
        let (output, errors) = (memfd_create("output", 0), memfd_create("errors", 0))
        let child = test_pause_fork()
        if child == 0 {
            dup2(output, STDOUT_FILENO)
            dup2(errors, STDERR_FILENO)
            exec([
                "HOME=/", "PATH=/usr/bin:/bin", "SKR_SOURCES=/proc/self/fd/\(sources)",
                "SKR_PAIR_SECRET={\"value\":\"\(secret)\",\"expires_in\":\(timeout)}",
            ])
        }
        var status: CInt = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        defer {
            close(output)
            close(errors)
        }
        let text = content(of: errors)
        let ran = text.split(separator: "\n").compactMap { UInt64($0) }.first
        return Answer(
            exitCode: status & 0x7F == 0 ? status >> 8 : 128 + (status & 0x7F), secret: content(of: output),
            ran: ran.map(monotonic) ?? 0, errors: text)
    }

    private static func exec(_ environment: [String]) -> Never {
        let words = ["skr", "get", SceneItem.contested.service, "--namespace", SceneItem.namespace]
        fexecve(executable, words.map { strdup($0) } + [nil], environment.map { strdup($0) } + [nil])
        _exit(126)
    }

    /// Converts a time of the system's clock.
    private static func monotonic(_ time: UInt64) -> UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return MonotonicTime.now - (UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec) - time)
    }

    private static func content(of file: CInt) -> String {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = pread(file, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
