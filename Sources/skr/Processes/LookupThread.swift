import CProcess
import CommandSupport
import Glibc
import SystemPackage

/// Where a verb that starts commands does all else, on a second thread, so that the first one never looks into a keyring.
///
/// Where there is no session keyring, a lookup installs the user's `_uid_ses.N` in the credentials of the thread that
/// looks, and `exec` and `fork` keep it, through `setuid` too: a command that becomes another user would take the session
/// of whoever started it along. So the first thread does nothing but start commands, and it stays until the end, because
/// the kernel ends a child of ours with the thread that forked it.
enum LookupThread {
    private nonisolated(unsafe) static var work: (() -> Never)?
    private nonisolated(unsafe) static var request: (() -> Void)?
    private nonisolated(unsafe) static var usualMask = sigset_t()
    private static let requested = Semaphore()
    private static let done = Semaphore()

    /// Does `work` on a new thread, and on this one what that asks for; to be called by the first thread.
    static func run(_ work: @escaping () -> Never) throws(CommandError) -> Never {
        unsafe self.work = work
        var all = sigset_t()
        unsafe sigfillset(&all)
        // Signals are for the new thread, which blocks and takes them as if it were the only one.
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

    /// Does `body` on the first thread, with the caller's mask of signals, and waits for it.
    static func onFirstThread(_ body: () -> Void) {
        guard unsafe work != nil else { return body() }
        var own = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, nil, &own)
        withoutActuallyEscaping(body) { body in
            unsafe request = {
                let before = mask(setting: own)
                body()
                _ = mask(setting: before)
            }
            requested.signal()
            done.wait()
            unsafe request = nil
        }
    }

    private static func begin() -> Never {
        _ = unsafe mask(setting: usualMask)
        guard let work = unsafe work else { preconditionFailure("a thread has its work before it is made") }
        work()
    }

    /// Sets this thread's mask and returns the one before.
    private static func mask(setting new: sigset_t) -> sigset_t {
        var (new, before) = (new, sigset_t())
        unsafe pthread_sigmask(SIG_SETMASK, &new, &before)
        return before
    }
}

/// Counts up in one thread and down, waiting, in another.
@safe private struct Semaphore: @unchecked Sendable {
    private let counter = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() {
        unsafe sem_init(counter, 0, 0)
    }

    func signal() {
        unsafe sem_post(counter)
    }

    /// Waits as `wait` does, for the first half a millisecond without sleep: what wakes a processor that has gone idle takes
    /// longer than a few lookups, and was a tenth of what `skr exec` costs.
    func spinThenWait() {
        for _ in 0..<1_000 {
            if unsafe sem_trywait(counter) == 0 { return }
            // On a single processor the other thread runs now.
            sched_yield()
        }
        wait()
    }

    func wait() {
        // Nothing but a signal interrupts it.
        while unsafe sem_wait(counter) != 0 {}
    }
}
