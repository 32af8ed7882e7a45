import Glibc
import Keyutils

/// A timeout that counts from its creation, even if the write must wait for others.
///
/// The kernel ends keys at whole seconds of the system clock. So a key that is written after a wait ends in the same
/// second as one that is written immediately.
struct RunningTimeout: Sendable {
    private let timeout: KeyTimeout
    private let start = BootTime.ofThisNamespace()
    private let second = time(nil)

    init(_ timeout: KeyTimeout) {
        self.timeout = timeout
    }

    private var secondsLeft: Int {
        // A second can end during a few system calls, which are not a wait.
        guard BootTime.ofThisNamespace().since(start) > .milliseconds(10) else { return Int(timeout.seconds) }
        return Int(timeout.seconds) - max(0, time(nil) - second)
    }

    /// Whether nothing is left of the timeout.
    var hasPassed: Bool { secondsLeft <= 0 }

    /// The timeout for a key that is written now; at least a second, which is the kernel's shortest.
    var left: KeyTimeout { (try? KeyTimeout(.seconds(max(secondsLeft, 1)))) ?? timeout }
}
