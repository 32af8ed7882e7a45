import Foundation
import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing

@testable import SessionKeyring

@Suite("The timeout of what is stored")
struct StoredTimeoutTests {
    private let store = SecretStore(backend: InMemoryBackend())
    private let item = ItemIdentity.password(service: "api")

    private var timeLeft: Duration? { get throws { try timeLeft(of: item) } }

    private func timeLeft(of item: ItemIdentity) throws -> Duration? {
        guard case .after(let left)? = try store.attributes(of: item)?.expiry else { return nil }
        return left.atLeast + left.precision
    }

    @Test("each way of storing sets the timeout, or none", arguments: [Duration.seconds(3_600), nil])
    func timeout(timeout: Duration?) async throws {
        let ways: [@Sendable () async throws -> Void] = [
            { [store, item] in try store.set("x", for: item, timeout: timeout) },
            { [store, item] in try store.set(SecretBytes(utf8: "x"), for: item, timeout: timeout) },
            { [store, item] in try await store.set("x", for: item, timeout: timeout, waiting: .seconds(1)) },
            { [store, item] in try store.add("x", for: item, timeout: timeout) },
            { [store, item] in try store.add(SecretBytes(utf8: "x"), for: item, timeout: timeout) },
            { [store, item] in try await store.add("x", for: item, timeout: timeout, waiting: .seconds(1)) },
            { [store, item] in try await store.update(item, timeout: timeout) { (_: String?) in "x" } },
        ]
        for way in ways {
            try store.clear()
            try await way()
            let left = try timeLeft
            #expect((left == nil) == (timeout == nil))
            if let left, let timeout { #expect(left > timeout - .seconds(60) && left <= timeout + .seconds(60)) }
        }
    }

    @Test("each way of storing states for how long a value is fresh and usable")
    func lifetime() async throws {
        let slot = store.slot(for: item, as: String.self)
        let bytes = SecretBytes(utf8: "x")
        let limit = Duration.seconds(1)
        let (timeout, fresh, usable) = (Duration.seconds(36_000), Duration.seconds(3_600), Duration.seconds(18_000))
        func check(_ way: Int) throws {
            for (item, expected) in [(item, timeout), (item.freshnessSentinel, fresh), (item.usableSentinel, usable)] {
                let left = try timeLeft(of: item) ?? .zero
                #expect(left > expected - .seconds(60) && left <= expected + .seconds(3_600), "\(way): \(item)")
            }
            try store.clear()
        }
        try store.set("x", for: item, timeout: timeout, refreshAfter: fresh, usableFor: usable)
        try check(1)
        try store.set(bytes, for: item, timeout: timeout, refreshAfter: fresh, usableFor: usable)
        try check(2)
        try store.add("x", for: item, timeout: timeout, refreshAfter: fresh, usableFor: usable)
        try check(3)
        try store.add(bytes, for: item, timeout: timeout, refreshAfter: fresh, usableFor: usable)
        try check(4)
        try await store.set(
            "x", for: item, timeout: timeout, refreshAfter: fresh, usableFor: usable, waiting: limit)
        try check(5)
        try await store.set(
            bytes, for: item, timeout: timeout, refreshAfter: fresh, usableFor: usable, waiting: limit)
        try check(6)
        try await store.add(
            "x", for: item, timeout: timeout, refreshAfter: fresh, usableFor: usable, waiting: limit)
        try check(7)
        try await store.add(
            bytes, for: item, timeout: timeout, refreshAfter: fresh, usableFor: usable, waiting: limit)
        try check(8)
        try slot.save("x", timeout: timeout, refreshAfter: fresh, usableFor: usable)
        try check(9)
        try await slot.save("x", timeout: timeout, refreshAfter: fresh, usableFor: usable, waiting: limit)
        try check(10)
    }

    @Test("a slot's timeout, and that of credentials, is that of what is stored, unless another one comes")
    func slots() async throws {
        let slot = store.slot(for: item, as: String.self, timeout: .seconds(36_000))
        let limit = Duration.seconds(1)
        let server = ItemIdentity.internet(server: "h", account: "a")
        let credentials = InternetCredentials(account: "a", password: "p")
        func check(_ way: Int, _ hours: Int, of item: ItemIdentity) throws {
            let left = try timeLeft(of: item) ?? .zero
            #expect(left > .seconds(hours * 3_600 - 60) && left <= .seconds((hours + 1) * 3_600), "\(way)")
            try store.clear()
        }
        try slot.save("x")
        try check(1, 10, of: item)
        try slot.save("x", timeout: .seconds(7_200))
        try check(2, 2, of: item)
        try slot.add("x")
        try check(3, 10, of: item)
        try slot.add("x", timeout: .seconds(7_200))
        try check(4, 2, of: item)
        try await slot.save("x", waiting: limit)
        try check(5, 10, of: item)
        try await slot.save("x", timeout: .seconds(7_200), waiting: limit)
        try check(6, 2, of: item)
        try await slot.add("x", waiting: limit)
        try check(7, 10, of: item)
        try await slot.add("x", timeout: .seconds(7_200), waiting: limit)
        try check(8, 2, of: item)
        try await slot.update { _ in "x" }
        try check(9, 10, of: item)
        try await slot.update(timeout: .seconds(7_200)) { _ in "x" }
        try check(10, 2, of: item)
        try store.set(credentials, server: "h", timeout: .seconds(7_200))
        try check(11, 2, of: server)
        try store.add(credentials, server: "h", timeout: .seconds(7_200))
        try check(12, 2, of: server)
        try await store.set(credentials, server: "h", timeout: .seconds(7_200), waiting: limit)
        try check(13, 2, of: server)
        try await store.add(credentials, server: "h", timeout: .seconds(7_200), waiting: limit)
        try check(14, 2, of: server)
    }

    @Test("the same credentials are added once")
    func credentialsOnce() async throws {
        let credentials = InternetCredentials(account: "a", password: "p")
        try store.add(credentials, server: "h")
        for isInTask in [false, true] {
            await #expect {
                if isInTask {
                    try await store.add(credentials, server: "h", waiting: .seconds(1))
                } else {
                    try store.add(credentials, server: "h")
                }
            } throws: { ($0 as? SecretStoreError)?.code == .duplicate }
        }
    }

    @Test("a value that is due before its end needs an end, and a time before it")
    func refreshBefore() throws {
        for (timeout, before) in [(nil, .seconds(1)), (.seconds(60), .zero), (.seconds(60), .seconds(-1))]
            as [(Duration?, Duration)]
        {
            #expect(throws: SecretStoreError.self) { try Lifetime(timeout: timeout, refreshBefore: before, of: item) }
        }
        #expect(try Lifetime(timeout: .seconds(60), refreshBefore: .seconds(1), of: item).isFresh)
        #expect(try !Lifetime(timeout: .seconds(60), refreshBefore: .seconds(60), of: item).isFresh, "due at once")
        #expect(try Lifetime(timeout: nil, refreshBefore: nil, of: item).isFresh)
    }
}
