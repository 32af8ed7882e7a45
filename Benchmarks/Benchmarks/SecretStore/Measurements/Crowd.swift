import Dispatch
import Foundation
import SessionKeyring
import SessionKeyringTesting

/// Namespaces beside each other in one session.
///
/// A get looks at one after the other in search of the calling thread's right to read, so what it costs depends on where the
/// kernel keeps its own; hence each namespace is read from in turn.
final class Crowd {
    private let scratch: ScratchKeyring
    private let stores: [SecretStore]
    private let item = ItemIdentity.password(service: "benchmark", account: "alice")
    private var turn = 0

    init(namespaces: Int) throws {
        let scratch = try ScratchKeyring()
        let payload = [UInt8](repeating: 120, count: 200)
        stores = try (0..<namespaces).map { try scratch.store(namespace: "application-\($0)") }
        self.scratch = scratch
        for store in stores { try store.set(payload, for: item, timeout: Workbench.timeout) }
    }

    func get(calls: Int) throws -> Duration {
        try ContinuousClock().measure {
            for _ in 0..<calls {
                turn = turn + 1 == stores.count ? 0 : turn + 1
                guard try stores[turn].withBytes(of: item, { $0.byteCount }) == 200 else { throw Missing() }
            }
        }
    }
}

/// A thread with a session of its own, which does its work when asked to.
final class Lane: Sendable {
    private enum Job {
        case run(calls: Int)
        case end
    }

    private let job = Locked(Job.end)
    private let outcome = Locked(Result<Duration, any Error>.success(.zero))
    private let asked = DispatchSemaphore(value: 0)
    private let answered = DispatchSemaphore(value: 0)

    /// - Parameter prepare: makes what it does; runs on the thread.
    init(_ prepare: @escaping @Sendable () throws -> Contest.Side) {
        let (job, outcome, asked, answered) = (job, outcome, asked, answered)
        Thread.detachNewThread {
            let side = Result {
                Session.joinOwn()
                return try prepare()
            }
            while true {
                asked.wait()
                guard case .run(let calls) = job.withLock({ $0 }) else { break }
                let result = Result { try side.get()(calls) }
                outcome.withLock { $0 = result }
                answered.signal()
            }
        }
    }

    deinit {
        job.withLock { $0 = .end }
        asked.signal()
    }

    func run(calls: Int) throws -> Duration {
        job.withLock { $0 = .run(calls: calls) }
        asked.signal()
        answered.wait()
        return try outcome.withLock { $0 }.get()
    }
}
