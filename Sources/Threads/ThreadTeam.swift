package import Dispatch
import Foundation

/// Real threads that start together, for tests of how threads affect each other.
package enum ThreadTeam {
    /// Runs `body` on `count` new threads, waits for all of them, and rethrows the first error.
    ///
    /// No thread calls `body` before all threads are running.
    ///
    /// - Throws: the first error that `body` throws on any thread.
    package static func run<Failure: Error>(
        _ count: Int,
        _ body: @escaping @Sendable (_ index: Int) throws(Failure) -> Void
    ) throws(Failure) {
        let finished = DispatchGroup()
        let ready = DispatchGroup()
        let failure = Locked<Failure?>(nil)
        for _ in 0..<count { ready.enter() }
        for index in 0..<count {
            start(in: finished) {
                ready.leave()
                ready.wait()
                do throws(Failure) {
                    try body(index)
                } catch {
                    failure.withLock { $0 = $0 ?? error }
                }
            }
        }
        finished.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// Runs `body` on a new thread, which is in the group until it has released what `body` refers to.
    ///
    /// Otherwise, the process could end before the thread drops the last reference to, say, a scratch keyring.
    package static func start(in group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
        let body = Locked<(@Sendable () -> Void)?>(body)
        group.enter()
        Thread.detachNewThread {
            runOnce(body)
            group.leave()
        }
    }

    /// Calls the closure, and releases it before this returns.
    @inline(never)
    private static func runOnce(_ body: Locked<(@Sendable () -> Void)?>) {
        let taken = body.withLock { $0.take() }
        taken?()
    }
}
