import CProcess
import CommandSupport
import Glibc
import Keyutils
import SystemPackage

/// A finished run of another program: its output and its exit code.
///
/// The program's standard error goes where ours goes.
struct ToolRun: ~Copyable {
    let exitCode: Int32
    let output: SecretBytes

    private static let limit = 1 << 20

    /// Runs a program to its end, without input.
    init(_ words: [String]) throws(CommandError) {
        do {
            let ends = try FileDescriptor.pipeAboveStandard()
            let input = try FileDescriptor.openNothing()
            defer { try? input.close() }
            let started = Self.start(words, input: input, output: ends.writer)
            try ends.writer.close()
            let output = try SecretBytes.reading(ends.reader, limit: Self.limit)
            // A program that prints more than the limit must not wait forever for a reader.
            try ends.reader.close()
            exitCode = started.map { Self.wait(for: $0) } ?? ExitCode.noCommand.rawValue
            self.output = output
        } catch {
            throw .internalError("can't run \(Display.quoted(words.first ?? "")): \(error.reason)", hint: nil)
        }
    }

    /// The lines of the output, for output that isn't secret.
    var lines: [String] { texts(endedBy: UInt8(ascii: "\n")) }

    /// Returns the texts in the output, each of which ends with this byte; for output that isn't secret.
    func texts(endedBy end: UInt8) -> [String] {
        output.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe bytes.split(separator: end, omittingEmptySubsequences: false).dropLast().map {
                    unsafe String(decoding: $0, as: UTF8.self)
                }
            }
        }
    }

    /// Starts the program and returns its process ID; `nil` if it could not be started.
    private static func start(_ words: [String], input: FileDescriptor, output: FileDescriptor) -> pid_t? {
        var mask = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
        var failure = child_failure()
        var child: pid_t = -1
        let command = CommandLineWords(leaking: words)
        unsafe EnvironmentBlock().withPointers { variables in
            unsafe withUnsafePointer(to: &mask) { mask in
                var setup = unsafe child_setup(
                    words: command.pointers, environment: variables, input: input.rawValue, output: output.rawValue,
                    mask: mask, folder: nil, guard: nil, secrets: nil, secret_count: 0)
                child = unsafe start_child(&setup, &failure)
            }
        }
        return child > 0 ? child : nil
    }

    private static func wait(for child: pid_t) -> Int32 {
        var status: CInt = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        return ChildEnd(status: status, received: []).exitCode
    }
}
