import CProcess
import CommandSupport
import Glibc
import SecretText
import SystemPackage

/// A finished run of another program, which gets an input and prints an output that can be secret.
struct ChildProgram {
    /// The exit code; 128 + N for signal N.
    let status: Int32
    let output: SecretBox
    /// Whether `mayStart` has kept the program from running.
    let isRefused: Bool

    /// - Parameters:
    ///   - environment: the only variables of the program; `nil` for our own.
    ///   - limit: the largest output; a program that prints more is ended.
    ///   - isApart: whether the program has its own process group, so that a terminal's signals don't reach it.
    ///   - mayStart: asked with the process ID before the program runs.
    /// - Throws: ``CommandError`` if the program has not run.
    init(
        _ words: [String], environment: [String]? = nil, input: SecretBox? = nil, limit: Int = 65_536,
        isApart: Bool = false, mayStart: (pid_t) -> Bool = { _ in true }
    ) throws(CommandError) {
        let (reader, child): (FileDescriptor, pid_t)
        var isRefused = false
        do throws(Errno) {
            let pipe = try FileDescriptor.pipeAboveStandard()
            let source = try input == nil ? nil : FileDescriptor.pipeAboveStandard()
            let nothing = if let source { source.reader } else { try FileDescriptor.openNothing() }
            reader = pipe.reader
            child = try Self.start(words, environment, input: nothing, output: pipe.writer, isApart: isApart) {
                process in
                isRefused = !mayStart(process)
                return !isRefused
            }
            try? nothing.close()
            try? pipe.writer.close()
            // A program that doesn't read its input reports the reason.
            try? input?.bytes.withBytes { try source?.writer.writeAll($0) }
            try? source?.writer.close()
        } catch {
            throw error == .noSuchFileOrDirectory
                ? CommandError(
                    exitCode: .noCommand, message: "\(words[0]) is not installed", hint: "apt install \(words[0])")
                : .internalError("can't run \(Display.quoted(words[0])): \(error.reason)", hint: nil)
        }
        defer { try? reader.close() }
        let printed = try? SecretBox(SecretBytes.reading(reader, limit: limit + 1))
        if printed.map({ $0.count > limit }) ?? true { kill(child, SIGKILL) }
        var status: CInt = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        self.status = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
        (self.isRefused, output) = (isRefused, printed ?? SecretBox(copying: RawSpan()))
    }

    private static func start(
        _ words: [String], _ environment: [String]?, input: FileDescriptor, output: FileDescriptor, isApart: Bool,
        _ mayStart: (pid_t) -> Bool
    ) throws(Errno) -> pid_t {
        var mask = sigset_t()
        unsafe sigprocmask(SIG_BLOCK, nil, &mask)
        let command = CommandLineWords(leaking: words)
        let variables = unsafe environment.map { unsafe CommandLineWords(leaking: $0).pointers }
        var failure = child_failure()
        let child = unsafe withUnsafePointer(to: &mask) { mask in
            var setup = unsafe child_setup(
                words: command.pointers,
                environment: variables ?? current_environment(), input: input.rawValue, output: output.rawValue,
                mask: mask, folder: nil, guard: nil, secrets: nil, secret_count: 0)
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
