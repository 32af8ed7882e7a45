import CommandSupport
import Glibc
import Keyutils
import Synchronization

/// The controlling terminal with its echo off, until ``restore()``.
///
/// Until then, this type catches the signals that would leave the terminal in this state.
struct SilentTerminal: ~Copyable {
    /// The signals that stop or end a process by default and that can be caught.
    private static let signals = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGALRM, SIGPIPE, SIGUSR1, SIGUSR2, SIGXCPU,
        SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSTKFLT,
    ]
    private static let caught = Atomic<CInt>(0)

    private let descriptor: CInt
    private let before: termios
    private let handlers: [sigaction]

    /// Turns off the echo; returns `nil` without a terminal, or if the echo can't be turned off.
    static func silence() -> SilentTerminal? {
        let descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        var before = termios()
        guard unsafe tcgetattr(descriptor, &before) == 0 else {
            close(descriptor)
            return nil
        }
        let terminal = SilentTerminal(descriptor: descriptor, before: before, handlers: catchSignals())
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        guard unsafe tcsetattr(descriptor, TCSAFLUSH, &silent) == 0 else {
            _ = terminal.restore()
            return nil
        }
        return terminal
    }

    deinit {
        close(descriptor)
    }

    func write(_ text: String) {
        unsafe text.utf8Span.span.withUnsafeBufferPointer { text in
            _ = unsafe Glibc.write(descriptor, text.baseAddress, text.count)
        }
    }

    /// Reads a line without its newline.
    ///
    /// If a signal or the end of input comes first, it returns the text that was typed until then.
    func readLine(limit: Int) -> SecretBytes {
        unsafe SecretBytes(capacity: limit) { buffer in
            var count = 0
            while Self.caught.load(ordering: .relaxed) == 0, count < limit {
                // A signal that arrives right before the wait is noticed after it.
                var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard unsafe poll(&wanted, 1, 100) > 0 else { continue }
                let read = unsafe Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), 1)
                if read < 0 && errno == EINTR { continue }
                guard read == 1, unsafe buffer[count] != UInt8(ascii: "\n") else { break }
                count += 1
            }
            return count
        }
    }

    /// Drops the input after the line, and returns whether there was any.
    ///
    /// A paste arrives in pieces, so this function waits until no more input arrives, for two seconds at most.
    func dropPendingInput() -> Bool {
        // Without line mode, which would hide a line that has not ended yet.
        var raw = before
        raw.c_lflag &= ~tcflag_t(ECHO | ICANON)
        guard Self.caught.load(ordering: .relaxed) == 0, unsafe tcsetattr(descriptor, TCSANOW, &raw) == 0 else {
            return false
        }
        var hasMore = false
        for _ in 0..<40 {
            var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&wanted, 1, 50) > 0, wanted.revents & Int16(POLLIN) != 0 else { break }
            tcflush(descriptor, TCIFLUSH)
            hasMore = true
        }
        return hasMore
    }

    /// Restores the terminal and the signal actions, and returns the signal that was caught.
    func restore() -> CInt? {
        var before = before
        unsafe tcsetattr(descriptor, TCSAFLUSH, &before)
        for (number, handler) in zip(Self.signals, handlers) {
            var handler = handler
            unsafe sigaction(number, &handler, nil)
        }
        let number = Self.caught.exchange(0, ordering: .relaxed)
        return number == 0 ? nil : number
    }

    private static func catchSignals() -> [sigaction] {
        // Without SA_RESTART, so that a signal ends the read.
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { number in
            SilentTerminal.caught.store(number, ordering: .relaxed)
        }
        return signals.map { number in
            var previous = sigaction()
            unsafe sigaction(number, &action, &previous)
            // The process that started us wants this signal to be ignored.
            if SignalAction.ignores(previous) { unsafe sigaction(number, &previous, nil) }
            return previous
        }
    }
}
