import SessionKeyringTesting
import TestSupport
import Testing
import Threads

@testable import SessionKeyring

@Suite("The steps of a shared fetch", .tags(.threads))
struct SharedFetchStepsTests {
    private let store = SecretStore(backend: InMemoryBackend())

    private func key(_ service: String) -> FetchKey {
        FetchKey(store.backend, of: store, .password(service: service), String.self)
    }

    @Test("finishing an already answered fetch does not keep callers from joining its successor")
    func successor() {
        let first = SharedFetch.join(key("api"))
        first.fetch.answer(with: .unknown)
        let second = SharedFetch.join(key("api"))
        first.fetch.finish(with: .unknown)
        let third = SharedFetch.join(key("api"))
        let isFirst = [first.isFirst, second.isFirst, third.isFirst]
        #expect(isFirst == [true, true, false])
    }

    @Test("while a fetch stores its value, neither its limit nor its last caller ends it")
    func keeping() async throws {
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
            // On a busy machine, the limit may be reached first.
            guard isHeld, fetch.beginKeeping() else { continue }
            #expect(!fetch.beginKeeping())
            try await endAtLimit(limit + .milliseconds(10))
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

    @Test("a fetch ends when its last caller leaves, even if no caller has begun to wait")
    func left() throws {
        let lease = try store.backend.takeLease("left", lasting: .seconds(60))
        let first = SharedFetch.join(key("left"))
        let second = SharedFetch.join(key("left"))
        let fetch = first.fetch
        let isShared = second.fetch === fetch
        #expect(isShared)
        _ = consume second
        _ = consume first
        let isHeld = fetch.hold(lease, nil, upTo: .seconds(60)) { .unknown }
        #expect(!isHeld)
        #expect(!fetch.beginKeeping())
        let next = SharedFetch.join(key("left"))
        let isNextFirst = next.isFirst
        #expect(isNextFirst)
    }

    @Test("a caller that begins to wait after the fetch has ended gets its first result")
    func over() async {
        func found(_ number: Int) -> SharedFetch.End { .found(number, isForAll: true) }
        let endings: [(SharedFetch) -> Void] = [
            { fetch in
                fetch.answer(with: found(1))
                fetch.finish(with: found(2))
            },
            { fetch in
                fetch.finish(with: found(1))
                fetch.answer(with: found(2))
            },
        ]
        for (number, ending) in endings.enumerated() {
            let part = SharedFetch.join(key("over \(number)"))
            ending(part.fetch)
            guard case .found(let value, _) = await part.fetch.end(for: part) else {
                Issue.record("\(number): it has ended in another way")
                continue
            }
            #expect(value as? Int == 1, "\(number)")
        }
    }

    @Test("a caller cancelled before it waits gets a CancellationError while others stay joined")
    func cancelledBefore() async {
        let wanted = key("cancelled")
        let first = SharedFetch.join(wanted)
        let gate = Gate()
        let cancelled = Task {
            await gate.wait()
            let second = SharedFetch.join(wanted)
            guard case .failed(let error) = await second.fetch.end(for: second) else { return false }
            return error is CancellationError
        }
        cancelled.cancel()
        gate.open()
        #expect(await cancelled.value)
        _ = consume first
    }

    @Test("stores share fetches if they share a backend object; separate wrappers don't")
    func shared() {
        let backend = InMemoryBackend()
        let item = ItemIdentity.password(service: "shared")
        func key(_ store: SecretStore) -> FetchKey { FetchKey(store.backend, of: store, item, String.self) }
        let (first, second) = (SecretStore(backend: backend), SecretStore(backend: backend))
        #expect(key(first) == key(second))
        let (one, other) = (
            SecretStore(backend: Wrapper(whole: backend)), SecretStore(backend: Wrapper(whole: backend))
        )
        #expect(key(one) == key(one))
        #expect(key(one) != key(other))
    }

    /// Checks that a fetch ends at `limit`: it can't begin to store a value, and its lease is released.
    private func endAtLimit(_ limit: Duration) async throws {
        let lease = try store.backend.takeLease("ended", lasting: .seconds(60))
        let part = SharedFetch.join(key("ended"))
        let fetch = part.fetch
        let wasHeld = Locked(false)
        let isHeld = fetch.hold(lease, nil, upTo: limit) { [store] in
            let isHeld = (try? store.backend.isLeaseHeld("ended")) == true
            wasHeld.withLock { $0 = isHeld }
            // A result that arrives at this moment is ignored.
            fetch.finish(with: .failed(CancellationError()))
            return .unknown
        }
        // On a busy machine, the limit may be reached first.
        guard isHeld else { return }
        guard case .unknown = await fetch.end(for: part) else {
            Issue.record("the wait should have ended without a result")
            return
        }
        #expect(wasHeld.withLock { $0 })
        #expect(try becomesTrue { try !store.backend.isLeaseHeld("ended") })
        #expect(!fetch.beginKeeping())
        let isHeldLate = fetch.hold(lease, nil, upTo: .seconds(60)) { .unknown }
        #expect(!isHeldLate)
    }
}

private struct Wrapper: ForwardingBackend {
    let whole: any SecretBackend
}
