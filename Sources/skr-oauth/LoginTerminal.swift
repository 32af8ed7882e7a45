import CProcess
import CommandSupport
import Glibc
import SystemPackage

/// The user's terminal during a login, and the signals that end the login.
final class LoginTerminal {
    enum Event {
        case time
        /// One of the other descriptors can be read.
        case descriptor
        case line([UInt8])
        case signal(CInt)
    }

    /// The longest line, in bytes.
    private static let limit = 65_536

    /// A descriptor that can be read when a signal has arrived.
    let signals: CInt
    /// The terminal; negative without one.
    private let terminal: CInt
    private var modes: termios?
    private var line: [UInt8] = []

    init() {
        var ends = sigset_t()
        unsafe sigemptyset(&ends)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] where !SignalAction.isIgnored(number) {
            unsafe sigaddset(&ends, number)
        }
        unsafe sigprocmask(SIG_BLOCK, &ends, nil)
        signals = unsafe signalfd(-1, &ends, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
        terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    }

    deinit {
        restore()
        if terminal >= 0 { close(terminal) }
        close(signals)
    }

    /// Whether the user can type something here.
    var canAsk: Bool { terminal >= 0 && tcgetpgrp(terminal) == getpgrp() }

    /// Shows a text on the terminal, or else on standard error.
    func show(_ text: String) {
        let file = FileDescriptor(rawValue: terminal >= 0 ? terminal : STDERR_FILENO)
        try? unsafe file.writeAll(text.utf8Span.span.bytes)
    }

    /// Lets the user type a line that is longer than the 4,095 bytes at which a terminal cuts it.
    func beginReading() {
        var modes = termios()
        guard canAsk, self.modes == nil, unsafe tcgetattr(terminal, &modes) == 0 else { return }
        self.modes = modes
        modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
        unsafe tcsetattr(terminal, TCSANOW, &modes)
    }

    private func restore() {
        guard var modes else { return }
        unsafe tcsetattr(terminal, TCSANOW, &modes)
        self.modes = nil
    }

    /// Waits for the user, a signal, one of these descriptors, or a time.
    func wait(for descriptors: [CInt], until deadline: ContinuousClock.Instant?) -> Event {
        while true {
            let all = [signals, modes == nil ? -1 : terminal] + descriptors
            var wanted = all.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let (seconds, attoseconds) = (deadline.map { max(.zero, $0 - .now) } ?? .zero).components
            let left = deadline == nil ? -1 : Int32(seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1)
            let count = unsafe poll(&wanted, nfds_t(wanted.count), left)
            if count < 0 { continue }
            if wanted[0].revents != 0 { return .signal(arrived()) }
            if wanted[1].revents != 0, let line = typed() { return .line(line) }
            if wanted[2...].contains(where: { $0.revents != 0 }) { return .descriptor }
            if let deadline, deadline <= .now { return .time }
        }
    }

    private func arrived() -> CInt {
        var signal = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        return unsafe read(signals, &signal, size) == size ? CInt(signal.ssi_signo) : SIGTERM
    }

    /// Reads what the user has typed; returns a complete line.
    private func typed() -> [UInt8]? {
        var piece = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe read(terminal, &piece, piece.count)
        // The terminal has gone.
        if count == 0 || count < 0 && errno == EIO { restore() }
        for byte in piece.prefix(max(0, count)) {
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                defer { line = [] }
                return line
            case 0x08, 0x7F: _ = line.popLast()
            case 0x15: line = []
            default: if line.count < Self.limit { line.append(byte) }
            }
        }
        return nil
    }

    /// Ends this process if a signal for it has arrived.
    func endIfSignalled() {
        var wanted = pollfd(fd: signals, events: Int16(POLLIN), revents: 0)
        if unsafe poll(&wanted, 1, 0) > 0 { end(by: arrived()) }
    }

    /// Restores the terminal's modes, and ends this process by a signal.
    func end(by number: CInt) -> Never {
        restore()
        signal(number, SIG_DFL)
        var only = sigset_t()
        unsafe sigemptyset(&only)
        unsafe sigaddset(&only, number)
        raise(number)
        unsafe sigprocmask(SIG_UNBLOCK, &only, nil)
        exit(128 + number)
    }
}
