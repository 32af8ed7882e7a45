import CProcess
import Glibc
package import Keyutils
package import SecretText
import SystemPackage

/// A finished run of another program: its output, which can be secret, and its exit code.
///
/// The program's standard error goes where ours goes.
package struct ToolRun: ~Copyable {
    /// The exit code; 128 + N for signal N.
    package let exitCode: Int32
    /// The output; empty if it could not be read, and then the program has been killed.
    package let output: SecretBytes

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - environment: the only variables of the program; `nil` for our own.
    ///   - limit: the number of bytes of output with which the program is killed.
    ///   - isApart: whether the program has its own process group, so that a terminal's signals don't reach it.
    ///   - mayStart: asked with the process ID before the program runs; after false, the program is killed.
    /// - Throws: ``CommandError`` if the program has not run.
    package init(
        _ words: [String], environment: [String]? = nil, input: SecretBox? = nil, limit: Int = 1 << 20,
        isApart: Bool = false, mayStart: (Int32) -> Bool = { _ in true }
    ) throws(CommandError) {
        let (reader, child): (FileDescriptor, pid_t)
        do throws(Errno) {
            let pipe = try FileDescriptor.pipeAboveStandard()
            let source = try input == nil ? nil : FileDescriptor.pipeAboveStandard()
            let start = if let source { source.reader } else { try FileDescriptor.openNothing() }
            reader = pipe.reader
            let started = Result { () throws(Errno) in
                try Self.start(words, environment, input: start, output: pipe.writer, isApart: isApart, mayStart)
            }
            try? start.close()
            try? pipe.writer.close()
            // A program that doesn't read its input reports the reason.
            if case .success = started { try? input?.bytes.withBytes { try source?.writer.writeAll($0) } }
            try? source?.writer.close()
            if case .failure = started { try? reader.close() }
            child = try started.get()
        } catch {
            throw [.noSuchFileOrDirectory, .permissionDenied, .argListTooLong].contains(error)
                ? Executable.failure(of: words[0], error)
                : .internalError("can't run \(Display.quoted(words[0])): \(error.reason)", hint: nil)
        }
        do throws(Errno) {
            output = try SecretBytes.reading(reader, limit: limit)
        } catch {
            output = SecretBytes(copying: RawSpan())
            kill(child, SIGKILL)
        }
        if output.count == limit { kill(child, SIGKILL) }
        try? reader.close()
        var status: CInt = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        exitCode = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }

    /// The lines of the output, for output that isn't secret.
    package var lines: [String] { texts(endedBy: UInt8(ascii: "\n")) }

    /// Returns the texts in the output, each of which ends with this byte; for output that isn't secret.
    package func texts(endedBy end: UInt8) -> [String] {
        output.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe bytes.split(separator: end, omittingEmptySubsequences: false).dropLast().map {
                    unsafe String(decoding: $0, as: UTF8.self)
                }
            }
        }
    }

    private static func start(
        _ words: [String], _ environment: [String]?, input: FileDescriptor, output: FileDescriptor, isApart: Bool,
        _ mayStart: (Int32) -> Bool
    ) throws(Errno) -> pid_t {
        var mask = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
        let command = CommandLineWords(leaking: words)
        let variables = unsafe environment.map { unsafe CommandLineWords(leaking: $0).pointers }
        var failure = child_failure()
        let child = unsafe withUnsafePointer(to: &mask) { mask in
            var setup = unsafe child_setup(
                words: command.pointers, environment: variables ?? current_environment(), input: input.rawValue,
                output: output.rawValue, mask: mask, folder: nil, guard: nil, secrets: nil, secret_count: 0)
            var waiting = waiting_child()
            guard unsafe prepare_child(&setup, &waiting, &failure) == 0 else { return pid_t(-1) }
            if isApart { setpgid(waiting.process, waiting.process) }
            if !mayStart(waiting.process) { kill(waiting.process, SIGKILL) }
            return unsafe run_child(&setup, &waiting, &failure)
        }
        guard child > 0 else { throw Errno(rawValue: failure.code) }
        return child
    }
}
