import CProcess
import CommandSupport
import Glibc
import Keyutils
import SecretText

/// The surroundings of a child, if they differ from our own.
struct ChildSettings {
    var environment = EnvironmentBlock()
    /// The working folder; empty for our own.
    var folder = ""
    /// How long the command can run; `nil` for as long as it wants.
    var limit: Duration?
}

/// The environment of a command: our own, with some variables set.
///
/// It is separate from our own environment, so that no secret appears in this process's `/proc/PID/environ`.
@safe struct EnvironmentBlock {
    /// Each entry is `NAME=value` followed by a NUL, and the length of `NAME=`.
    private var entries: [(bytes: SecretBox, prefixLength: Int)] = []
    /// The inherited variables that the command doesn't get.
    var removed: [String] = []

    /// Returns whether this is a name that a shell could set.
    static func isName(_ text: some Collection<UInt8>) -> Bool {
        guard let first = text.first, !first.isDigit else { return false }
        return text.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
    }

    /// Sets a variable that has not been set in this block before.
    mutating func set(_ name: String, to value: RawSpan) {
        let entry = SecretBytes(capacity: name.utf8.count + value.byteCount + 2) { entry in
            for byte in name.utf8 { entry.append(byte) }
            entry.append(UInt8(ascii: "="))
            entry.append(value)
            entry.append(0)
        }
        entries.append((SecretBox(entry), name.utf8.count + 1))
    }

    /// Lends the environment to C code.
    func withPointers<Result>(
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let inherited = unsafe current_environment()
        var length = 0
        while unsafe inherited?[length] != nil { length += 1 }
        let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
            .allocate(capacity: length + entries.count + 1)
        defer { unsafe pointers.deallocate() }
        var count = 0
        for position in 0..<length {
            guard let entry = unsafe inherited?[position], unsafe !isReplaced(entry), unsafe !isRemoved(entry) else {
                continue
            }
            unsafe pointers[count] = entry
            count += 1
        }
        for (entry, _) in entries {
            unsafe pointers[count] = UnsafeMutablePointer(mutating: Self.text(entry))
            count += 1
        }
        unsafe pointers[count] = nil
        return withExtendedLifetime(entries) { unsafe body(pointers) }
    }

    /// Returns whether one of our entries replaces this inherited one.
    private func isReplaced(_ entry: UnsafePointer<CChar>) -> Bool {
        entries.contains { bytes, prefixLength in
            guard let text = unsafe Self.text(bytes) else { return false }
            return unsafe strncmp(entry, text, prefixLength) == 0
        }
    }

    private func isRemoved(_ entry: UnsafePointer<CChar>) -> Bool {
        removed.contains { name in unsafe strncmp(entry, name + "=", name.utf8.count + 1) == 0 }
    }

    /// Returns an entry for C code; it stays at the same address as long as the block lives.
    private static func text(_ entry: SecretBox) -> UnsafePointer<CChar>? {
        unsafe entry.bytes.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe $0.baseAddress?.assumingMemoryBound(to: CChar.self) }
        }
    }
}

/// Blocks SIGCHLD and the signals that would end us while we still have something to release.
///
/// A signal that is ignored stays ignored.
struct BlockedSignals {
    private static let forwarded = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2]

    private(set) var blocked = sigset_t()
    /// The previous mask, which a child gets.
    private(set) var before = sigset_t()

    init() {
        unsafe sigemptyset(&blocked)
        unsafe sigaddset(&blocked, SIGCHLD)
        for number in Self.forwarded where !SignalAction.isIgnored(number) { unsafe sigaddset(&blocked, number) }
        unsafe sigprocmask(SIG_BLOCK, &blocked, &before)
    }

    /// Restores the previous mask, which delivers the signals that have arrived in the meantime.
    func release() {
        var before = before
        unsafe sigprocmask(SIG_SETMASK, &before, nil)
    }
}

/// The modes of our terminal, such as its echo, before a command ran.
struct TerminalModes {
    private let modes: termios

    /// Reads the modes; `nil` without a terminal.
    init?() {
        var modes = termios()
        guard Self.withTerminal({ unsafe tcgetattr($0, &modes) }) == 0 else { return nil }
        self.modes = modes
    }

    /// Sets the modes again, unless the terminal's foreground is another job.
    func restore() {
        var (modes, stop, before) = (modes, sigset_t(), sigset_t())
        unsafe sigemptyset(&stop)
        unsafe sigaddset(&stop, SIGTTOU)
        _ = Self.withTerminal { terminal in
            let foreground = tcgetpgrp(terminal)
            // A shell that was the command can have left its own group in the foreground. EPERM means that the group is
            // another user's, such as that of a password prompt.
            guard foreground == getpgrp() || foreground > 0 && kill(-foreground, 0) != 0 && errno == ESRCH else {
                return -1
            }
            unsafe sigprocmask(SIG_BLOCK, &stop, &before)
            defer { unsafe sigprocmask(SIG_SETMASK, &before, nil) }
            return unsafe tcsetattr(terminal, TCSANOW, &modes)
        }
    }

    private static func withTerminal(_ body: (CInt) -> CInt) -> CInt {
        let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return -1 }
        defer { close(terminal) }
        return body(terminal)
    }
}
