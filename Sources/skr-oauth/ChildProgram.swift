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

    /// - Parameters:
    ///   - environment: the only variables of the program; `nil` for our own.
    ///   - limit: the largest output; a program that prints more is ended.
    ///   - isApart: whether the program has its own process group, so that a terminal's signals don't reach it.
    ///   - interruption: a descriptor that ends the program when it can be read; negative for none.
    ///   - started: called with the process ID before the program runs.
    init(
        _ words: [String], environment: [String]? = nil, input: SecretBox? = nil, limit: Int = 65_536,
        isApart: Bool = false, interruption: CInt = -1, started: (pid_t) -> Void = { _ in }
    ) throws(CommandError) {
        do {
            let (reader, writer) = try FileDescriptor.pipeAboveStandard()
            let source = try input == nil ? nil : FileDescriptor.pipeAboveStandard()
            let nothing = try source?.reader ?? FileDescriptor.openNothing()
            let child = Self.start(words, environment, input: nothing, output: writer, isApart: isApart, started)
            try nothing.close()
            try writer.close()
            defer { try? reader.close() }
            if let source, let input {
                defer { try? source.writer.close() }
                // A program that doesn't read its input reports the reason.
                try? input.bytes.withBytes { try source.writer.writeAll($0) }
            }
            guard let child else { throw CommandError.internalError("can't run '\(words[0])'", hint: nil) }
            var isInterrupted = false
            let output = try SecretBytes.reading(
                reader, limit: limit + 1,
                waiting: { () throws(Errno) in
                    var wanted = [reader.rawValue, interruption].map {
                        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
                    }
                    while unsafe poll(&wanted, 2, -1) < 0, errno == EINTR {}
                    isInterrupted = wanted[1].revents != 0
                    return isInterrupted ? 0 : .max
                })
            if isInterrupted || output.count > limit { kill(child, SIGKILL) }
            var status: CInt = 0
            while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
            self.status = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
            self.output = SecretBox(output)
        } catch let error as CommandError {
            throw error
        } catch {
            throw .internalError("can't run '\(words[0])': \(error.reason)", hint: nil)
        }
    }

    /// Starts the program and returns its process ID; `nil` if it could not be started.
    private static func start(
        _ words: [String], _ environment: [String]?, input: FileDescriptor, output: FileDescriptor, isApart: Bool,
        _ started: (pid_t) -> Void
    ) -> pid_t? {
        var mask = sigset_t()
        unsafe sigprocmask(SIG_BLOCK, nil, &mask)
        let command = CommandLineWords(leaking: words)
        let variables = unsafe environment.map { unsafe CommandLineWords(leaking: $0).pointers }
        return unsafe withUnsafePointer(to: &mask) { mask in
            var setup = unsafe child_setup(
                words: command.pointers,
                environment: variables ?? current_environment(), input: input.rawValue, output: output.rawValue,
                mask: mask, folder: nil, guard: nil, secrets: nil, secret_count: 0)
            var (failure, waiting) = (child_failure(), waiting_child())
            guard unsafe prepare_child(&setup, &waiting, &failure) == 0 else { return nil }
            if isApart { setpgid(waiting.process, waiting.process) }
            started(waiting.process)
            let child = unsafe run_child(&setup, &waiting, &failure)
            return child > 0 ? child : nil
        }
    }
}
