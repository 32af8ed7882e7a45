import CommandSupport
import Glibc
import SystemPackage

/// The user's terminal during a login.
///
/// The process that runs us restores its modes.
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
    private let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    /// The bytes that the user has typed, after the last line.
    private var typed: [UInt8] = []

    /// Whether the user can type something here: we are in the foreground.
    var canAsk: Bool { terminal >= 0 && tcgetpgrp(terminal) == getpgrp() }

    /// Shows a text on the terminal, or else on standard error.
    func show(_ text: String) {
        let file = FileDescriptor(rawValue: terminal >= 0 ? terminal : STDERR_FILENO)
        try? unsafe file.writeAll(text.utf8Span.span.bytes)
    }

    /// Lets the user type a line that is longer than the 4,095 bytes at which a terminal cuts it, without echo.
    private func beginReading() {
        var modes = termios()
        // In the background, the kernel would stop us.
        guard canAsk, unsafe tcgetattr(terminal, &modes) == 0, modes.c_lflag & tcflag_t(ICANON) != 0 else { return }
        modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
        unsafe withUnsafeMutableBytes(of: &modes.c_cc) { codes in
            unsafe (codes[Int(VMIN)], codes[Int(VTIME)]) = (1, 0)
        }
        unsafe tcsetattr(terminal, TCSANOW, &modes)
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

    /// Takes the next complete line.
    private func nextLine() -> [UInt8]? {
        let ends = "\r\n".utf8
        guard let end = typed.firstIndex(where: ends.contains) else { return nil }
        defer { typed.removeSubrange(...end) }
        return Array(typed[..<end])
    }
}
