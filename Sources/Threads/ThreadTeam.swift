import Dispatch
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
            finished.enter()
            Thread.detachNewThread {
                defer { finished.leave() }
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
}
