import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing

@Suite("A lease that is lost while its closure runs", .tags(.kernel, .threads))
struct LostLeaseTests {
    private let kernel: ScratchStore
    private var store: SecretStore { kernel.store }

    init() throws { kernel = try ScratchStore() }

    @Test("checkHeld throws, and the error reports that others may have worked at the same time")
    func checkHeld() throws {
        let error = #expect(throws: SecretStoreError.self) {
            try store.withBlockingLease("job", lasting: .milliseconds(300), waiting: .zero) { lease in
                try lease.checkHeld()
                try loseAllLeases(of: store)
                usleep(400_000)
                try lease.checkHeld()
            }
        }
        #expect(error?.code == .leaseLost)
        #expect(error?.description.contains("another holder may have worked") == true)
        #expect(error?.description.contains("nothing was written") == false)
    }

    @Test("the error of a late update reports that nothing was written")
    func lateUpdate() throws {
        let error = #expect(throws: SecretStoreError.self) {
            try store.blockingUpdate(.password(service: "a"), lasting: .scope, within: .milliseconds(30)) { (_: Int?) in
                usleep(100_000)
                return 1
            }
        }
        #expect(error?.code == .leaseLost)
        #expect(error?.description.contains("nothing was written") == true)
    }

    @Test("a lease without a name or with an impossible duration is refused", arguments: [false, true])
    func refused(isBlocking: Bool) async throws {
        let cases: [(String, Duration, SecretStoreError.Code)] = [
            ("", .seconds(1), .invalidName), ("job", .milliseconds(9), .invalidTimeout),
            ("job", .seconds(3_601), .invalidTimeout),
        ]
        for (name, duration, code) in cases {
            await #expect {
                if isBlocking {
                    try blocking { _ = try store.blockingLease(name, lasting: duration, waiting: .zero) }
                } else {
                    _ = try await store.lease(name, lasting: duration, waiting: .zero)
                }
            } throws: { ($0 as? SecretStoreError)?.code == code }
        }
    }

    @Test("a lease lasts from 10 milliseconds to an hour", arguments: [Duration.milliseconds(10), .seconds(3_600)])
    func limits(duration: Duration) async throws {
        let store = SecretStore(backend: InMemoryBackend())
        #expect(try await store.tryLease("job", lasting: duration) != nil)
    }

    @Test(
        "an update lasts no longer and no shorter than a lease can",
        arguments: [Duration.milliseconds(9), .seconds(3_601)])
    func refusedUpdate(duration: Duration) async throws {
        let store = SecretStore(backend: InMemoryBackend())
        let item = ItemIdentity.password(service: "a")
        let updates: [@Sendable () async throws -> Void] = [
            { try await store.update(item, lasting: .scope, within: duration) { (_: Int?) in 1 } },
            {
                try blocking {
                    _ = try store.blockingUpdate(item, lasting: .scope, within: duration) { (_: Int?) in 1 }
                }
            },
        ]
        for update in updates {
            await #expect { try await update() } throws: { ($0 as? SecretStoreError)?.code == .invalidTimeout }
        }
        #expect(try store.items().isEmpty)
    }

    @Test("a closure in its own task is cancelled once the lease is lost")
    func cancelled() async throws {
        let began = ContinuousClock.now
        await #expect {
            try await store.withCancellingLease("job", lasting: .milliseconds(400), waiting: .zero) { lease in
                try lease.checkHeld()
                try loseAllLeases(of: store)
                try await Task.sleep(for: .seconds(3_600))
            }
        } throws: { ($0 as? SecretStoreError)?.code == .leaseLost }
        // Less than the closure's hour. Other tests may keep the threads of tasks busy for minutes.
        #expect(ContinuousClock.now - began < .seconds(1_800))
    }

    @Test("a closure in its own task returns, throws, and is cancelled with its caller's task")
    func ends() async throws {
        struct Failure: Error {}
        let number = try await store.withCancellingLease("job", lasting: .milliseconds(1_500), waiting: .zero) {
            lease in
            // For longer than the lease lasts without a renewal.
            try await Task.sleep(for: .milliseconds(1_800))
            return lease.fencingNumber
        }
        #expect(number > 0)
        await #expect(throws: Failure.self) {
            try await store.withCancellingLease("job", waiting: .zero) { _ in throw Failure() }
        }
        let task = Task {
            try await store.withCancellingLease("job", waiting: .seconds(5)) { _ in
                try await Task.sleep(for: .seconds(3_600))
            }
        }
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await store.tryLease("job") != nil)
    }
}

/// Invalidates the leases' ring.
///
/// All leases of the scope are lost once the kernel has collected it.
private func loseAllLeases(of store: SecretStore) throws {
    guard let kernel = store.backend as? KernelBackend else { return }
    try kernel.rings.anchor.search(.keyring, NamespaceRings.leasesName).invalidate()
}
