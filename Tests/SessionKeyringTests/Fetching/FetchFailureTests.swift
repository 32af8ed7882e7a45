import Foundation
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

private let item = oauthItem

@Suite("Which failed fetches are remembered", .tags(.kernel, .threads), .aheadOfOthers)
struct FetchFailureTests {
    private let kernel: ScratchStore
    private var store: SecretStore { kernel.store }

    init() throws { kernel = try ScratchStore() }

    @Test("a new value that can't be stored is an error, and the old value is not returned instead")
    func unstorable() async throws {
        try store.set("old", for: item, lasting: Lifetime(refreshAfter: .seconds(600)))
        try store.makeDue(item)
        let long = String(repeating: "x", count: 2_000_000)
        await #expect { try await store.refreshedValue(for: item, as: String.self) { _ in (long, .scope) } } throws: {
            if case .tooLarge? = ($0 as? SecretStoreError)?.code { true } else { false }
        }
    }

    @Test("a cancelled fetch is not remembered as a failure, but one that hangs is")
    func rememberedFailures() async throws {
        let (begun, ended) = (Locked(false), Locked(false))
        let cancelled = Task {
            try await store.value(for: item, as: String.self, options: FetchOptions(retryAfter: .seconds(600))) {
                begun.withLock { $0 = true }
                try? await Task.sleep(for: .seconds(60))
                ended.withLock { $0 = true }
                throw Refusal()
            }
        }
        while !begun.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
        cancelled.cancel()
        _ = try? await cancelled.value
        while !ended.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
        // After that, the fetch finishes within microseconds.
        try await Task.sleep(for: .milliseconds(20))
        #expect(try !store.contains(item.failure))
        await #expect { try await hang() } throws: { ($0 as? SecretStoreError)?.code == .fetchTimedOut }
        await #expect { try await hang() } throws: { ($0 as? SecretStoreError)?.code == .fetchFailed }

        @Sendable func hang() async throws -> String {
            try await store.value(
                for: item, as: String.self,
                options: FetchOptions(limit: .milliseconds(100), retryAfter: .seconds(600))
            ) {
                try await Task.sleep(for: .seconds(60))
                return "late"
            }
        }
    }

    @Test("a value that is stored ends a failure that was remembered during its fetch", arguments: Place.allCases)
    func forgottenFailure(place: Place) async throws {
        let store = kernel.store(in: place)
        _ = try await store.refreshedValue(
            for: item, as: String.self, options: FetchOptions(retryAfter: .seconds(600))
        ) { _ in
            try store.set("", for: item.failure, lasting: .seconds(600))
            return ("new", .scope)
        }
        #expect(try store.get(item) == "new")
        #expect(try !store.contains(item.failure))
    }

    @Test("a failure is shared for as long as the caller chose, also with other stores", arguments: Place.allCases)
    func sharedFailure(place: Place) async throws {
        let store = kernel.store(in: place)
        let other = SecretStore(backend: store.backend)
        let tries = Locked(0)
        @Sendable func value(_ store: SecretStore) async throws -> String {
            try await store.value(for: item, as: String.self, options: FetchOptions(retryAfter: .seconds(600))) {
                () async throws -> String in
                tries.withLock { $0 += 1 }
                throw Refusal()
            }
        }
        await #expect(throws: Refusal.self) { try await value(store) }
        for store in [store, other] {
            await #expect { try await value(store) } throws: { ($0 as? SecretStoreError)?.code == .fetchFailed }
        }
        #expect(tries.withLock { $0 } == 1)
        // A caller that doesn't share failures tries by itself.
        #expect(
            try await store.value(for: item, as: String.self, options: FetchOptions(retryAfter: nil)) { "fetched" }
                == "fetched")
        #expect(try await value(other) == "fetched")
    }

    @Test("a failed refresh is not retried while the failure is remembered", arguments: Place.allCases)
    func failedRefresh(place: Place) async throws {
        let store = kernel.store(in: place)
        try store.set("old", for: item, lasting: Lifetime(refreshAfter: .seconds(500), usableFor: .seconds(600)))
        try store.makeDue(item)
        let tries = Locked(0)
        for _ in 0..<2 {
            let value = try await store.refreshedValue(
                for: item, as: String.self, options: FetchOptions(retryAfter: .seconds(600))
            ) { _ in
                tries.withLock { $0 += 1 }
                throw Refusal()
            }
            #expect(value == "old")
        }
        #expect(tries.withLock { $0 } == 1)
    }

    @Test("every form of value, of a store or a slot, shares failures by default")
    func sharedByDefault() async throws {
        let slot = store.slot(for: item, as: String.self)
        let forms: [() async throws -> String] = [
            { try await store.value(for: item, as: String.self) { throw Refusal() } },
            { try await store.refreshedValue(for: item, as: String.self) { _ in throw Refusal() } },
            { try await slot.value { throw Refusal() } },
            { try await slot.refreshedValue { _ in throw Refusal() } },
        ]
        for (index, form) in forms.enumerated() {
            #expect(try await isShared(form), "form \(index)")
        }

        /// Returns whether the second of two calls gets the failure of the first one.
        ///
        /// A failure is shared for two seconds, but the kernel may drop it after one. If the two calls are further
        /// apart, they are repeated.
        func isShared(_ form: () async throws -> String) async throws -> Bool {
            while true {
                try store.delete(item.failure)
                let start = ContinuousClock.now
                await #expect(throws: Refusal.self) { try await form() }
                do {
                    _ = try await form()
                    return false
                } catch let error as SecretStoreError where error.code == .fetchFailed {
                    return true
                } catch is Refusal where ContinuousClock.now - start < .seconds(1) {
                    return false
                } catch is Refusal {
                    continue
                }
            }
        }
    }
}
