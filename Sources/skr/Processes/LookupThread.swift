import CRuntimeStart
import CommandSupport
import Glibc
import SystemPackage

/// The second thread of a verb that starts commands, which does everything except starting them.
///
/// It keeps the first thread from ever searching a keyring. Without a session keyring, a lookup installs the user's
/// `_uid_ses.N` in the credentials of the thread that searches. `exec` and `fork` keep these credentials, even through
/// `setuid`. A command that becomes another user would then take along the session of the user who started it.
///
/// Therefore the first thread only starts commands. It lives until the end, because the kernel kills our child when the
/// thread that forked it ends.
enum LookupThread {
    private nonisolated(unsafe) static var work: (() -> Never)?
    private nonisolated(unsafe) static var request: (() -> Void)?
    private nonisolated(unsafe) static var usualMask = sigset_t()
    private static let requested = Semaphore()
    private static let done = Semaphore()

    /// Runs `work` on a new thread; this thread, which must be the first, then runs the new thread's requests.
    static func run(_ work: @escaping () -> Never) throws(CommandError) -> Never {
        unsafe self.work = work
        var all = sigset_t()
        unsafe sigfillset(&all)
        // Only the new thread gets signals, as if it were the only thread.
        unsafe usualMask = mask(setting: all)
        use_one_heap()
        var thread = pthread_t()
        let code = unsafe pthread_create(&thread, nil, { _ in LookupThread.begin() }, nil)
        guard code == 0 else {
            _ = unsafe mask(setting: usualMask)
            throw CommandError(
                exitCode: .tryAgain, message: "can't start a thread: \(Errno(rawValue: code).reason)",
                hint: "end some processes, or raise their limit: ulimit -u")
        }
        while true {
            requested.spinThenWait()
            unsafe request?()
            done.signal()
        }
    }

    /// Runs `body` on the first thread with the caller's signal mask, and waits for it.
    ///
    /// `body` does not outlive the call. `withoutActuallyEscaping` would express that, but it puts the length of this
    /// file's path into the executable, which must be the same wherever it is built.
    static func onFirstThread(_ body: @escaping () -> Void) {
        guard unsafe work != nil else { return body() }
        var own = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, nil, &own)
        unsafe request = { [own] in
            let before = mask(setting: own)
            body()
            _ = mask(setting: before)
        }
        requested.signal()
        done.wait()
        unsafe request = nil
    }

    private static func begin() -> Never {
        _ = unsafe mask(setting: usualMask)
        guard let work = unsafe work else { preconditionFailure("the thread was started without work") }
        work()
    }

    /// Sets this thread's mask and returns the previous one.
    private static func mask(setting new: sigset_t) -> sigset_t {
        var (new, before) = (new, sigset_t())
        unsafe pthread_sigmask(SIG_SETMASK, &new, &before)
        return before
    }
}

/// A POSIX semaphore.
///
/// The corresponding C functions are `sem_post(3)` and `sem_wait(3)`.
@safe private struct Semaphore: @unchecked Sendable {
    private let counter = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() {
        unsafe sem_init(counter, 0, 0)
    }

    func signal() {
        unsafe sem_post(counter)
    }

    /// Waits like ``wait()``, but spins for the first half a millisecond.
    ///
    /// Waking a sleeping processor takes longer than a few lookups, about a tenth of the time that `skr exec` takes.
    func spinThenWait() {
        for _ in 0..<1_000 {
            if unsafe sem_trywait(counter) == 0 { return }
            // If there is only one processor, the other thread needs it.
            sched_yield()
        }
        wait()
    }

    func wait() {
        // The call fails only if a signal interrupts it.
        while unsafe sem_wait(counter) != 0 {}
    }
}
