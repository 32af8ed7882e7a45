import Dispatch
import Foundation

/// Real threads, started together and waited for, for tests of what threads do to each other.
package enum ThreadTeam {
    /// Runs `body` on `count` new threads, which all begin once the last one is there, and rethrows the first error.
    ///
    /// - Throws: what `body` throws on any of them.
    package static func run<Failure: Error>(
        _ count: Int,
        _ body: @escaping @Sendable (_ index: Int) throws(Failure) -> Void
    ) throws(Failure) {
        let gate = DispatchSemaphore(value: 0)
        let finished = DispatchGroup()
        let ready = DispatchGroup()
        let failure = Locked<Failure?>(nil)
        for index in 0..<count {
            finished.enter()
            ready.enter()
            Thread.detachNewThread {
                defer { finished.leave() }
                ready.leave()
                gate.wait()
                do throws(Failure) {
                    try body(index)
                } catch {
                    failure.withLock { $0 = $0 ?? error }
                }
            }
        }
        ready.wait()
        for _ in 0..<count { gate.signal() }
        finished.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
