import Dispatch
import Foundation
import Synchronization

/// A thread with its own session, which does its work when asked to.
final class Lane: Sendable {
    private let calls = Atomic(0)
    private let outcome = Mutex(Result<Duration, any Error>.success(.zero))
    private let asked = DispatchSemaphore(value: 0)
    private let answered = DispatchSemaphore(value: 0)

    /// Starts the thread.
    ///
    /// - Parameter prepare: creates the work; it runs on the thread.
    init(_ prepare: @escaping @Sendable () throws -> Contest.Side) {
        Thread.detachNewThread { [self] in
            let side = Result {
                Program.joinOwnSession()
                return try prepare()
            }
            while true {
                asked.wait()
                let result = Result { try side.get()(calls.load(ordering: .relaxed)) }
                outcome.withLock { $0 = result }
                answered.signal()
            }
        }
    }

    func run(calls: Int) throws -> Duration {
        self.calls.store(calls, ordering: .relaxed)
        asked.signal()
        answered.wait()
        return try outcome.withLock { $0 }.get()
    }
}
