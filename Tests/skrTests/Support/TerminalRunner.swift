import Glibc

/// Runs shell scripts on a new terminal, in a new session keyring, and types answers to their prompts.
struct TerminalRunner {
    /// The keys to type once the terminal shows a text.
    struct Answer {
        let prompt: String
        let keys: String
    }

    /// Runs the script and returns all that the terminal showed, without carriage returns.
    ///
    /// The terminal shows no colours, unless `environment` changes NO_COLOR.
    func run(_ script: String, answering answers: [Answer] = [], environment: [String: String] = [:]) throws -> String {
        let terminal = try PseudoTerminal()
        let child = try ChildProcess(
            "/usr/bin/setsid", ["-cw", "keyctl", "session", "-", "bash", "-c", script],
            environment: CommandRunner().environment(["NO_COLOR": "1"].merging(environment) { $1 }),
            files: (terminal.slave, terminal.slave, terminal.slave))
        terminal.closeSlave()

        var shown = [UInt8]()
        var waiting = answers[...]
        // A prompt counts once. Text up to an answered prompt is not searched for the next one.
        var answered = 0
        // If the script does not end in time, the test fails with everything that the terminal has shown.
        let giveUp = ContinuousClock.now + ChildProcess.waitLimit
        while let piece = try terminal.read(until: giveUp) {
            shown += piece
            while let next = waiting.first, let end = shown[answered...].end(of: Array(next.prompt.utf8)) {
                answered = end
                try terminal.type(next.keys)
                waiting.removeFirst()
            }
        }
        let text = String(decoding: shown.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        guard (try? child.wait(until: giveUp)) != nil else {
            throw ChildProcess.Failure(description: "the script did not end; the terminal shows:\n\(text)")
        }
        return text
    }
}

/// Both ends of a pseudo-terminal.
private final class PseudoTerminal {
    private(set) var slave: CInt
    private let master: CInt

    init() throws {
        // These are TIOCSPTLCK and TIOCGPTPEER from <asm/ioctls.h>, which Swift can't import. They take the place of
        // unlockpt(3) and ptsname(3).
        let (setLock, openPeer): (UInt, UInt) = (0x4004_5431, 0x5441)
        var unlocked: CInt = 0
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard master >= 0, ioctl(master, setLock, &unlocked) == 0 else {
            throw ChildProcess.Failure(description: "no pseudo-terminal: errno \(errno)")
        }
        slave = ioctl(master, openPeer, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0 else { throw ChildProcess.Failure(description: "no pseudo-terminal: errno \(errno)") }
    }

    deinit {
        closeSlave()
        close(master)
    }

    /// Closes our copy of the script's end, so that reading ends when the last process has closed its own.
    func closeSlave() {
        if slave >= 0 { close(slave) }
        slave = -1
    }

    /// Returns the next output, or `nil` once no process has the other end open, or at the deadline.
    func read(until deadline: ContinuousClock.Instant) throws -> [UInt8]? {
        while ContinuousClock.now < deadline {
            var wanted = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            guard poll(&wanted, 1, 100) > 0 else { continue }
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = Glibc.read(master, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            // The kernel returns EIO after the last process has closed its end.
            return count > 0 ? Array(buffer[..<count]) : nil
        }
        return nil
    }

    func type(_ keys: String) throws {
        var rest = Array(keys.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
            guard count > 0 else { throw ChildProcess.Failure(description: "can't type: errno \(errno)") }
            rest = rest.dropFirst(count)
        }
    }
}

extension TerminalRunner {
    /// Returns the script's own output, without the line that `keyctl session` prints.
    func runQuietly(_ script: String, environment: [String: String] = [:]) throws -> String {
        let shown = try run(script, environment: environment)
        return shown.hasPrefix("Joined session") ? String(shown.drop { $0 != "\n" }.dropFirst()) : shown
    }
}

extension ArraySlice<UInt8> {
    /// Returns the position after the first occurrence of a text, or `nil` if there isn't one.
    fileprivate func end(of text: [UInt8]) -> Int? {
        guard count >= text.count else { return nil }
        return (startIndex...(endIndex - text.count)).first { self[$0...].starts(with: text) }.map { $0 + text.count }
    }
}
