import Foundation
import Glibc

/// A shell script on a terminal of its own, in a session keyring of its own, typed at when it asks.
struct TerminalRunner {
    /// What is typed once a text has appeared.
    struct Answer {
        let prompt: String
        let keys: String
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Longer than any machine is busy; a script that is waited for in vain fails with what it has shown.
    private static let patience = Duration.seconds(120)

    /// Runs the script and returns all that the terminal showed, without carriage returns.
    func run(_ script: String, answering answers: [Answer] = [], environment: [String: String] = [:]) throws -> String {
        let terminal = try PseudoTerminal()
        let process = CommandRunner().process(
            "/usr/bin/setsid", ["-cw", "keyctl", "session", "-", "bash", "-c", script], environment: environment)
        process.standardInput = terminal.slave
        process.standardOutput = terminal.slave
        process.standardError = terminal.slave
        try CommandRunner.withAllSignals { try process.run() }
        try terminal.slave.close()

        var shown = [UInt8]()
        var waiting = answers[...]
        // A prompt counts once; what was there before it was answered does not answer the next.
        var answered = 0
        let giveUp = ContinuousClock.now + Self.patience
        while let piece = try terminal.read(until: giveUp) {
            shown += piece
            while let next = waiting.first, let end = shown[answered...].end(of: Array(next.prompt.utf8)) {
                answered = end
                try terminal.type(next.keys)
                waiting.removeFirst()
            }
        }
        let text = String(decoding: shown.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        guard ContinuousClock.now < giveUp else {
            process.terminate()
            throw Failure(description: "the script did not end; the terminal shows:\n\(text)")
        }
        process.waitUntilExit()
        return text
    }
}

/// Both ends of a terminal.
private final class PseudoTerminal {
    let slave: FileHandle
    private let master: CInt

    init() throws {
        // <asm/ioctls.h>, which Swift can't import: TIOCSPTLCK and TIOCGPTPEER, for unlockpt(3) and ptsname(3).
        let (setLock, openPeer): (UInt, UInt) = (0x4004_5431, 0x5441)
        var unlocked: CInt = 0
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard master >= 0, ioctl(master, setLock, &unlocked) == 0 else {
            throw TerminalRunner.Failure(description: "no pseudo-terminal: errno \(errno)")
        }
        let peer = ioctl(master, openPeer, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard peer >= 0 else { throw TerminalRunner.Failure(description: "no pseudo-terminal: errno \(errno)") }
        slave = FileHandle(fileDescriptor: peer, closeOnDealloc: true)
    }

    deinit {
        close(master)
    }

    /// What is shown next; `nil` once nobody has the other end any more, or the time is up.
    func read(until deadline: ContinuousClock.Instant) throws -> [UInt8]? {
        while ContinuousClock.now < deadline {
            var wanted = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            guard poll(&wanted, 1, 100) > 0 else { continue }
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = Glibc.read(master, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            // The kernel says EIO when the last process has closed its end.
            return count > 0 ? Array(buffer[..<count]) : nil
        }
        return nil
    }

    func type(_ keys: String) throws {
        var rest = Array(keys.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
            guard count > 0 else { throw TerminalRunner.Failure(description: "can't type: errno \(errno)") }
            rest = rest.dropFirst(count)
        }
    }
}

extension ArraySlice<UInt8> {
    /// The position behind the first occurrence of a text.
    fileprivate func end(of text: [UInt8]) -> Int? {
        guard count >= text.count else { return nil }
        return (startIndex...(endIndex - text.count)).first { self[$0...].starts(with: text) }.map { $0 + text.count }
    }
}
