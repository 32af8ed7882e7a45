import SessionKeyringTesting
import Testing
import Threads

@testable import SessionKeyring

@Suite("Lifetimes")
struct LifetimeTests {
    private let item = ItemIdentity.password(service: "api")

    @Test(
        "a token is refreshed when a tenth of its life is left, or one minute",
        arguments: [(10, 9), (600, 540), (3_600, 3_540)] as [(Int, Int)])
    func token(life: Int, refresh: Int) {
        let lifetime = Lifetime.token(livingFor: .seconds(life))
        #expect(lifetime == Lifetime(refreshAfter: .seconds(refresh), usableFor: .seconds(life)))
    }

    @Test("refresh and usability times are exact, and the store's timeout is in whole seconds")
    func exact() throws {
        let begin = SystemTime.now()
        let lifetime = try RunningLifetime(
            Lifetime(.milliseconds(2_500), refreshAfter: .milliseconds(1_100), usableFor: .milliseconds(2_100)),
            of: item)
        let end = SystemTime.now()
        guard case .until(let fresh) = lifetime.freshness, case .until(let usable) = lifetime.usability else {
            Issue.record("both have an end")
            return
        }
        #expect((begin + 1_100...end + 1_100).contains(fresh))
        #expect((begin + 2_100...end + 2_100).contains(usable))
        #expect(lifetime.timeout?.left.seconds == 3)
    }

    @Test(
        "a fetched value with a refresh time of zero or less is refreshed late in its life",
        arguments: [
            (Lifetime(refreshAfter: .zero, usableFor: .seconds(60)), 54_000),
            (Lifetime(.seconds(100), refreshAfter: .seconds(-5)), 90_000),
            (Lifetime(refreshAfter: .zero), 1_000), (Lifetime(.milliseconds(500), refreshAfter: .zero), 1_000),
        ] as [(Lifetime, UInt64)])
    func clamped(lifetime: Lifetime, milliseconds: UInt64) throws {
        let begin = SystemTime.now()
        let running = try #require(RunningLifetime(ofFetched: lifetime))
        guard case .until(let fresh) = running.freshness else {
            Issue.record("it is fresh without an end")
            return
        }
        #expect(fresh >= begin + milliseconds && fresh <= SystemTime.now() + milliseconds)
    }

    @Test("a token that lives for 60 seconds and is refreshed after 0 is fetched once by 50 callers")
    func storm() async throws {
        let store = SecretStore(backend: InMemoryBackend())
        let fetches = Locked(0)
        for _ in 0..<50 {
            _ = try await store.refreshedValue(for: item, as: String.self) { _ in
                fetches.withLock { $0 += 1 }
                return ("token", Lifetime(refreshAfter: .seconds(60 - 60), usableFor: .seconds(60)))
            }
        }
        #expect(fetches.withLock { $0 } == 1)
    }

    @Test("the longest durations don't overflow")
    func longest() throws {
        for duration in [Duration.seconds(4_294_967_295), .seconds(UInt64.max / 2)] {
            let lifetime = Lifetime(nil, refreshAfter: duration)
            guard case .until(let end) = try #require(RunningLifetime(ofFetched: lifetime)).freshness else {
                Issue.record("it is fresh without an end")
                continue
            }
            #expect(end >= SystemTime.now() + 4_294_967_000_000)
        }
    }
}
