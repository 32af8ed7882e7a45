import CTestFilters
import Foundation
import Glibc

extension ChildProcess {
    /// The result of a program that has ended.
    package struct Outcome {
        package let exitCode: Int32
        package let output: Data
        package let errors: Data
    }

    /// Runs a program until it has ended and every process that holds its output has closed it.
    ///
    /// - Throws: ``Failure`` if that takes longer than `limit`.
    package static func run(
        _ program: String, _ arguments: [String], environment: [String], input: Data = Data(),
        within limit: Duration = waitLimit
    ) throws -> Outcome {
        let giveUp = ContinuousClock.now + limit
        let (stdin, stdout, stderr) = (try Pipe(), try Pipe(), try Pipe())
        let child = try ChildProcess(
            program, arguments, environment: environment, files: (stdin.reading, stdout.writing, stderr.writing))
        stdin.closeReading()
        stdout.closeWriting()
        stderr.closeWriting()
        stdin.rest = Array(input)[...]
        var isDone = stdin.write()
        while stdout.isOpen || stderr.isOpen {
            guard ContinuousClock.now < giveUp else {
                child.kill()
                _ = try? child.wait(until: giveUp)
                throw Failure(description: "the program did not end and was killed")
            }
            var wanted = [
                pollfd(fd: stdout.reading, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stderr.reading, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isDone ? -1 : stdin.writing, events: Int16(POLLOUT), revents: 0),
            ]
            guard poll(&wanted, 3, 100) > 0 else { continue }
            if wanted[0].revents != 0 { stdout.read() }
            if wanted[1].revents != 0 { stderr.read() }
            if wanted[2].revents != 0 { isDone = stdin.write() }
        }
        return Outcome(exitCode: try child.wait(until: giveUp), output: stdout.data, errors: stderr.data)
    }
}

/// A pipe to or from a program.
private final class Pipe {
    private(set) var reading: CInt
    private(set) var writing: CInt
    private(set) var data = Data()
    /// The bytes that are still to be written.
    var rest: ArraySlice<UInt8> = []

    init() throws {
        var ends: [CInt] = [-1, -1]
        let giveUp = ContinuousClock.now + ChildProcess.waitLimit
        while test_pipe(&ends) != 0 {
            // If the limit is low, tests that run at the same time can use up all file descriptors.
            if errno == EMFILE, ContinuousClock.now < giveUp {
                usleep(10_000)
                continue
            }
            throw ChildProcess.Failure(description: "no pipe: \(String(cString: strerror(errno)))")
        }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        closeReading()
        closeWriting()
    }

    var isOpen: Bool { reading >= 0 }

    func closeReading() {
        if reading >= 0 { close(reading) }
        reading = -1
    }

    func closeWriting() {
        if writing >= 0 { close(writing) }
        writing = -1
    }

    func read() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(reading, &buffer, buffer.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        if count <= 0 { return closeReading() }
        data += buffer[..<count]
    }

    /// Writes as many bytes as fit.
    ///
    /// A program that doesn't want its input closes the pipe. That isn't a failure.
    ///
    /// - Returns: true, with the pipe closed, if nothing is left to write.
    func write() -> Bool {
        _ = fcntl(writing, F_SETFL, O_NONBLOCK)
        while !rest.isEmpty {
            let count = withoutBrokenPipeSignal {
                rest.withUnsafeBytes { Glibc.write(writing, $0.baseAddress, $0.count) }
            }
            if count < 0, errno == EAGAIN { return false }
            if count < 0, errno == EINTR { continue }
            if count < 0 { break }
            rest = rest.dropFirst(count)
        }
        closeWriting()
        return true
    }

    private func withoutBrokenPipeSignal(_ body: () -> Int) -> Int {
        var (brokenPipe, before) = (sigset_t(), sigset_t())
        sigemptyset(&brokenPipe)
        sigaddset(&brokenPipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &brokenPipe, &before)
        let (count, code) = (body(), errno)
        if count < 0, code == EPIPE {
            var now = timespec()
            sigtimedwait(&brokenPipe, nil, &now)
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
        errno = code
        return count
    }
}
