import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

private let item = ItemIdentity.password(service: "token")
private let fetches = ItemIdentity.password(service: "fetches")

@Suite("Values that are fetched once for all callers", .tags(.kernel, .threads), .aheadOfOthers)
struct ReadThroughTests {
    private let kernel: ScratchStore
    private var store: SecretStore { kernel.store }

    init() throws { kernel = try ScratchStore() }

    @Test("processes that want the same item share one fetch")
    func processes() async throws {
        let serial = kernel.scratch.keyring.serial.rawValue
        try await concurrently(6) { process -> Void in
            await #expect(processExitsWith: .exitCode(0)) { [serial = serial as Int32, process = process as Int] in
                let store = try SecretStore(.keyring(KeySerial(rawValue: serial)))
                try store.set("started", for: .password(service: "process", account: "\(process)"))
                let value = try await fetchSlowly(in: store)
                succeed(4, value == "fetched")
                exit(0)
            }
        }
        #expect(try store.get(fetches) == 1)
    }

    @Test("tasks that want the same item share one fetch, even if it takes longer than its lease")
    func tasks() async throws {
        let count = Locked(0)
        let values = try await concurrently(20) { _ -> String in
            let policy = FetchPolicy(.never, leaseDuration: .milliseconds(300))
            return try await store.value(for: item, policy, { store.coding(String.self) }) { _ in
                try await Task.sleep(for: .milliseconds(500))
                count.withLock { $0 += 1 }
                return ("fetched", .scope)
            }
        }
        #expect(values == Array(repeating: "fetched", count: 20))
        #expect(count.withLock { $0 } == 1)
    }

    @Test("if the process that fetches is killed, another one fetches once the lease has ended")
    func killed() async throws {
        let serial = kernel.scratch.keyring.serial.rawValue
        await #expect(processExitsWith: .signal(SIGKILL)) { [serial = serial as Int32] in
            try await fetchAndDie(in: SecretStore(.keyring(KeySerial(rawValue: serial))))
        }
        #expect(try await store.value(for: item, as: String.self) { "alive" } == "alive")
    }

    @Test("one caller refreshes a value before it expires, while others get the old value")
    func refresh() async throws {
        @Sendable func value(_ fetch: @escaping @Sendable () async throws -> String) async throws -> String {
            try await store.value(
                for: item, as: String.self, lasting: Lifetime(.seconds(3_600), refreshAfter: .seconds(600)),
                fetch: fetch)
        }
        #expect(try await value { "old" } == "old")
        #expect(try await value { "not yet" } == "old")
        try store.makeDue(item)
        let refreshed = try await value { () async throws in
            // Not in a task of this fetch, which could not ask for its own item.
            let other = Task.detached { try await value { "not twice" } }
            #expect(try await other.value == "old")
            return "new"
        }
        #expect(refreshed == "new")
        #expect(try await value { "not yet" } == "new")
        try store.makeDue(item)
        let kept = try await value { throw Refusal() }
        #expect(kept == "new", "the stored value is still usable")
        #expect(try store.identities() == [item], "its companion is not an item")
    }

    @Test("a task that is already cancelled gets an error even if a value is stored")
    func cancelledBefore() async throws {
        let store = SecretStore(backend: InMemoryBackend())
        try store.set("there", for: item)
        let gate = Gate()
        let task = Task {
            await gate.wait()
            return try await store.value(for: item, as: String.self) { "fetched" }
        }
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    @Test("a fetch limit below 10 milliseconds or above an hour is refused")
    func limits() async throws {
        let store = SecretStore(backend: InMemoryBackend())
        @Sendable func value(_ limit: Duration) async throws -> String {
            try await store.value(for: item, as: String.self, options: FetchOptions(limit: limit)) { "fetched" }
        }
        for limit in [Duration.milliseconds(9), .seconds(3_601)] {
            await #expect { _ = try await value(limit) } throws: {
                ($0 as? SecretStoreError)?.code == .invalidTimeout
            }
        }
        #expect(try await value(.seconds(3_600)) == "fetched")
    }

    @Test(
        "bad lifetimes are refused before anything is fetched",
        arguments: [(.zero, nil), (nil, .seconds(-1)), (.seconds(5), .seconds(5)), (.seconds(5), .zero)]
            as [(Duration?, Duration?)])
    func badLifetimes(timeout: Duration?, refreshAfter: Duration?) async throws {
        let store = SecretStore(backend: InMemoryBackend())
        let lifetime = Lifetime(timeout, refreshAfter: refreshAfter)
        let slot = store.slot(for: item, as: String.self, lasting: lifetime)
        @Sendable func fetch() -> String {
            Issue.record("fetched")
            return ""
        }
        let forms: [@Sendable () async throws -> String] = [
            { try await store.value(for: item, as: String.self, lasting: lifetime) { fetch() } },
            { try await slot.value { fetch() } },
        ]
        for form in forms {
            await #expect { _ = try await form() } throws: { ($0 as? SecretStoreError)?.code == .invalidTimeout }
        }
    }
}

private func fetchSlowly(in store: SecretStore) async throws -> String {
    try await store.value(for: item, as: String.self) {
        // Until all processes have started, and a little longer, until they ask for the value.
        let giveUp = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < giveUp, try store.identities().count(where: { $0.service == "process" }) < 6 {
            try await Task.sleep(for: .milliseconds(10))
        }
        try await Task.sleep(for: .milliseconds(100))
        try await store.update(fetches, lasting: .scope) { (old: Int?) in (old ?? 0) + 1 }
        return "fetched"
    }
}

private func fetchAndDie(in store: SecretStore) async throws {
    _ = try await store.value(for: item, as: String.self) { () -> String in
        kill(getpid(), SIGKILL)
        return "never"
    }
}
