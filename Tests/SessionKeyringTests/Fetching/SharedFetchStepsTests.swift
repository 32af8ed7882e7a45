import SessionKeyringTesting
import TestSupport
import Testing
import Threads

@testable import SessionKeyring

@Suite("The steps of a shared fetch")
struct SharedFetchStepsTests {
    private let store = SecretStore(backend: InMemoryBackend())

    private func key(_ service: String) -> FetchKey { FetchKey(store, .password(service: service), String.self) }

    @Test("the work of a fetch that has ended for its callers ends, and the next fetch is joined all the same")
    func successor() {
        let first = SharedFetch.join(key("api"))
        first.fetch.answer(with: .unknown)
        let second = SharedFetch.join(key("api"))
        first.fetch.finish(with: .unknown)
        let third = SharedFetch.join(key("api"))
        let isFirst = [first.isFirst, second.isFirst, third.isFirst]
        #expect(isFirst == [true, true, false])
    }

    @Test("what is being stored is ended neither by its limit nor by the last caller, who may be followed by others")
    func keeping() throws {
        for number in 1...20 {
            let (keptKey, limit) = (key("kept \(number)"), Duration.milliseconds(20 * number))
            let lease = try store.backend.takeLease("kept \(number)", lasting: .seconds(60))
            let isAtLimit = Locked(false)
            let part = SharedFetch.join(keptKey)
            let fetch = part.fetch
            let isHeld = fetch.hold(lease, nil, upTo: limit) {
                isAtLimit.withLock { $0 = true }
                return .unknown
            }
            // On a busy machine, its limit may come first.
            guard isHeld, fetch.beginKeeping() else { continue }
            #expect(!fetch.beginKeeping())
            try endAtLimit(limit + .milliseconds(10))
            _ = consume part
            #expect(!isAtLimit.withLock { $0 })
            #expect(try store.backend.isLeaseHeld("kept \(number)"))
            let late = SharedFetch.join(keptKey)
            let isLateFirst = late.isFirst
            #expect(!isLateFirst)
            fetch.finish(with: .unknown)
            #expect(try !store.backend.isLeaseHeld("kept \(number)"))
            return
        }
        Issue.record("its limit always came first")
    }

    /// A fetch that ends at that limit: nothing of it is stored, and its lease is released.
    private func endAtLimit(_ limit: Duration) throws {
        let lease = try store.backend.takeLease("ended", lasting: .seconds(60))
        let part = SharedFetch.join(key("ended"))
        let fetch = part.fetch
        let wasHeld = Locked(false)
        let isHeld = fetch.hold(lease, nil, upTo: limit) { [store] in
            let isHeld = (try? store.backend.isLeaseHeld("ended")) == true
            wasHeld.withLock { $0 = isHeld }
            return .unknown
        }
        // On a busy machine, its limit may come first.
        guard isHeld else { return }
        guard case .unknown = fetch.waitForEnd(for: part) else {
            Issue.record("it has not ended as it was told to")
            return
        }
        #expect(wasHeld.withLock { $0 })
        #expect(try becomesTrue { try !store.backend.isLeaseHeld("ended") })
        #expect(!fetch.beginKeeping())
        let isHeldLate = fetch.hold(lease, nil, upTo: .seconds(60)) { .unknown }
        #expect(!isHeldLate)
    }
}
