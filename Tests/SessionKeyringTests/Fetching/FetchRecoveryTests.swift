import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

private let item = ItemIdentity.password(service: "recovered")

/// A type before and after it gained a field.
private struct Before: Codable, Equatable { var token = "old" }
private struct After: Codable, Equatable, Sendable { var (token, scope) = ("new", "all") }

@Suite("Fetches despite an undecodable value or a full quota", .tags(.kernel, .threads), .aheadOfOthers)
struct FetchRecoveryTests {
    private let kernel: ScratchStore
    private var store: SecretStore { kernel.store }

    init() throws { kernel = try ScratchStore() }

    @Test("a stored value that can't be decoded is fetched again and replaced", arguments: Place.allCases)
    func undecodable(place: Place) async throws {
        let store = kernel.store(in: place)
        try store.set(Before(), for: item, lasting: .seconds(60))
        let fetches = Locked(0)
        for _ in 0..<2 {
            let value = try await store.value(for: item, as: After.self, lasting: .seconds(60)) {
                fetches.withLock { $0 += 1 }
                return After()
            }
            #expect(value == After())
        }
        #expect(fetches.withLock { $0 } == 1)
        #expect(try store.get(item) == After())

        try store.set(Before(), for: item)
        let refreshed = try await store.refreshedValue(for: item, as: After.self) { old in
            #expect(old == nil)
            return (After(), .seconds(60))
        }
        #expect(refreshed == After())
        let slot = store.slot(for: item, as: After.self)
        try store.set(Before(), for: item)
        #expect(try await slot.value { After() } == After())
        #expect(try slot.load() == After())
    }

    @Test("get and update still throw if the value can't be decoded")
    func stillThrows() throws {
        let store = SecretStore(backend: InMemoryBackend())
        try store.set(Before(), for: item)
        let calls: [() throws -> Void] = [
            { _ = try store.get(item, as: After.self) },
            { try store.blockingUpdate(item, lasting: .scope) { (_: After?) in After() } },
        ]
        for call in calls {
            #expect { try call() } throws: {
                if case .undecodable? = ($0 as? SecretStoreError)?.code { true } else { false }
            }
        }
        #expect(try store.get(item) == Before())
    }

    @Test(
        "on a full quota, the tasks of a process share one fetch, and nothing is stored",
        .tags(.root), .enabled(if: isRoot))
    func fullQuota() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try OrdinaryUser.becomeInNewSession(60_121)
            let session = try Keyring.resolve(.sessionKeyring)
            // Tasks run on threads that have another session keyring.
            try Key(session).setPermissions([.possessorAll, .userAll])
            let store = try SecretStore(.keyring(session.serial, isOpenToOwner: true))
            try store.set("other", for: .password(service: "other"))
            try session.fillQuota()
            let (fetches, callers) = (Locked(0), Locked(0))
            let values = try await concurrently(20) { _ -> String in
                callers.withLock { $0 += 1 }
                return try await store.value(for: item, as: String.self, lasting: .seconds(60)) {
                    fetches.withLock { $0 += 1 }
                    while callers.withLock({ $0 }) < 20 { try await Task.sleep(for: .milliseconds(10)) }
                    try await Task.sleep(for: .milliseconds(200))
                    return "fetched"
                }
            }
            succeed(6, values == Array(repeating: "fetched", count: 20))
            succeed(7, fetches.withLock { $0 } == 1)
            succeed(10, try !store.contains(item))
            exit(0)
        }
    }

    @Test("by default, a failed fetch is tried again after two seconds")
    func sharedFailure() async throws {
        let tries = Locked(0)
        let begin = ContinuousClock.now
        for _ in 0..<5 {
            await #expect(throws: (any Error).self) {
                try await store.value(for: item, as: String.self, lasting: .seconds(60)) { () async throws -> String in
                    tries.withLock { $0 += 1 }
                    throw Refusal()
                }
            }
        }
        // The kernel may drop the failure when its second ends, which makes two tries. A very slow machine makes more.
        let most = 2 + Int((ContinuousClock.now - begin).components.seconds)
        #expect((1...most).contains(tries.withLock { $0 }))
        let giveUp = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < giveUp, try store.contains(item.failure) {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try await store.value(for: item, as: String.self, lasting: .seconds(60)) { "fetched" } == "fetched")
    }
}
