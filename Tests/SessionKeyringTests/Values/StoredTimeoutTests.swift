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

    private var timeLeft: Duration? {
        get throws {
            guard case .after(let left)? = try store.items().first?.expiry else { return nil }
            return left.atLeast + left.precision
        }
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
