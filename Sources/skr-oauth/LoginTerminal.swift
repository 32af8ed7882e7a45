import CommandSupport
import Glibc
import SystemPackage

/// The user's terminal during a login.
///
/// The process that runs us restores its modes after a signal.
final class LoginTerminal {
    enum Event {
        case time
        /// One of the other descriptors can be read.
        case descriptor
        case line([UInt8])
    }

    /// The longest line, in bytes.
    private static let limit = 65_536

    /// The terminal; negative without one.
    private let terminal: CInt
    private var modes: termios?
    /// The bytes that the user has typed, after the last line.
    private var typed: [UInt8] = []

    init() { terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY) }

    deinit {
        if var modes { setModes(&modes) }
        if terminal >= 0 { close(terminal) }
    }

    /// Whether the user can type something here: we are in the foreground.
    var canAsk: Bool { terminal >= 0 && tcgetpgrp(terminal) == getpgrp() }

    /// Shows a text on the terminal, or else on standard error.
    func show(_ text: String) {
        let file = FileDescriptor(rawValue: terminal >= 0 ? terminal : STDERR_FILENO)
        try? unsafe file.writeAll(text.utf8Span.span.bytes)
    }

    private func setModes(_ modes: inout termios) {
        // In the background, the kernel would stop us.
        var (stop, before) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&stop)
        unsafe sigaddset(&stop, SIGTTOU)
        unsafe sigprocmask(SIG_BLOCK, &stop, &before)
        if canAsk { unsafe tcsetattr(terminal, TCSANOW, &modes) }
        unsafe sigprocmask(SIG_SETMASK, &before, nil)
    }

    /// Lets the user type a line that is longer than the 4,095 bytes at which a terminal cuts it, without echo.
    private func beginReading() {
        var modes = termios()
        guard canAsk, unsafe tcgetattr(terminal, &modes) == 0, modes.c_lflag & tcflag_t(ICANON) != 0 else { return }
        if self.modes == nil { self.modes = modes }
        modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
        unsafe withUnsafeMutableBytes(of: &modes.c_cc) { codes in
            unsafe (codes[Int(VMIN)], codes[Int(VTIME)]) = (1, 0)
        }
        setModes(&modes)
    }

    /// Waits for a line of the user, one of these descriptors, or a time.
    func wait(for descriptors: [CInt], until deadline: ContinuousClock.Instant) -> Event {
        while true {
            if let line = nextLine() { return .line(line) }
            // A shell that has stopped us and continues us changes the modes.
            beginReading()
            let all = [canAsk ? terminal : -1] + descriptors
            var wanted = all.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let milliseconds = max(.zero, min(deadline - .now, .seconds(1))) / .milliseconds(1)
            guard unsafe poll(&wanted, nfds_t(wanted.count), CInt(milliseconds) + 1) > 0 else {
                if deadline <= .now { return .time }
                continue
            }
            if wanted[0].revents != 0, canAsk { read() }
            if wanted.dropFirst().contains(where: { $0.revents != 0 }) { return .descriptor }
        }
    }

    private func read() {
        var piece = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe Glibc.read(terminal, &piece, piece.count)
        typed += piece.prefix(max(0, min(count, Self.limit - typed.count)))
        // The terminal has gone, so nobody sees the rest of the login.
        if count == 0 || count < 0 && errno == EIO { exit(ExitCode.tryAgain.rawValue) }
    }

    /// Takes the next complete line, without what the user has deleted.
    private func nextLine() -> [UInt8]? {
        guard let end = typed.firstIndex(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) else {
            return nil
        }
        var line: [UInt8] = []
        for byte in typed[..<end] {
            switch byte {
            case 0x08, 0x7F: _ = line.popLast()
            case 0x15: line = []
            default: line.append(byte)
            }
        }
        typed.removeSubrange(...end)
        return line
    }
}
