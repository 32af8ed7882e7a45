import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Testing
import Threads

private let item = ItemIdentity.password(service: "big", account: "a")

private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 % 251 + 1) } }

/// Tests of `big_key`, which few kernels have; the kernel lab has it and runs these tests.
@Suite(
    "Secrets that only a big_key can hold",
    .tags(.kernel),
    .enabled(if: (try? KeyringCapabilities.query().contains(.bigKey)) ?? false, "this kernel has no big_key"),
    .serialized
)
struct KernelLabStoreTests {
    @Test(
        "a secret of up to 1,048,575 bytes survives, and one more byte is refused",
        arguments: [32_768, 100_000, 1_048_575])
    func sizes(count: Int) throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set(bytes(count), for: item, timeout: .seconds(60))
        #expect(try store.get(item) == bytes(count))
        let listed = try store.items()
        #expect(listed.map(\.size) == [count])
        guard case .after? = listed.first?.expiry else {
            Issue.record("the item has no timeout")
            return
        }
        #expect { try store.set(bytes(1_048_576), for: item) } throws: {
            ($0 as? SecretStoreError)?.code == .tooLarge(size: 1_048_576, limit: 1_048_575)
        }
        #expect(try store.get(item) == bytes(count))
    }

    @Test("large and small secrets replace each other, and no key of the other type is left")
    func replaceEachOther() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let ring = { try scratch.keyring.search(keyring: "skr:default") }
        for round in 0..<5 {
            let count = round % 2 == 0 ? 40_000 : 40
            try store.set(bytes(count), for: item)
            #expect(try store.get(item) == bytes(count))
            #expect(try store.identities() == [item])
        }
        #expect { try store.add("small", for: item) } throws: { ($0 as? SecretStoreError)?.code == .duplicate }
        #expect(try store.delete(item))
        #expect(try store.get(item) == nil as [UInt8]?)
        #expect(try !store.delete(item))
        #expect(try becomesTrue { () throws in try ring().members().isEmpty })
    }

    @Test("updates and fetches also replace large secrets with small ones and vice versa")
    func replaceEachOtherByOthers() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        for round in 0..<4 {
            let secret = bytes(round % 2 == 0 ? 40_000 : 40)
            try store.blockingUpdate(item, timeout: nil) { (_: [UInt8]?) in secret }
            #expect(try store.get(item) == secret)
            #expect(try scratch.keyring.search(keyring: "skr:default").members().count == 1)
        }
        for round in 0..<4 {
            let secret = bytes(round % 2 == 0 ? 40_000 : 40)
            let fetch = try #require(try store.backend.beginFetch(of: item))
            #expect(try fetch.store(secret.span.bytes, timeout: nil))
            #expect(try store.get(item) == secret)
        }
    }

    @Test("a large value set over a small one is found immediately, 300 of 300 times (issue line 1.8)")
    func noGap() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        for round in 0..<300 {
            let count = round % 2 == 0 ? 40 : 40_000
            try store.set(bytes(count), for: item)
            let found = try store.get(item) as [UInt8]?
            #expect(found?.count == count, "round \(round)")
        }
        // A small key that was revoked by hand doesn't hide the large value either.
        let ring = try scratch.keyring.search(keyring: "skr:default")
        let small = try ring.add(.user, item.keyDescription, payload: [1].span.bytes)
        try small.revoke()
        #expect(try (store.get(item) as [UInt8]?)?.count == 40_000)
    }

    @Test("a list is complete and never gives up while others replace a large value")
    func listed() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let others = (0..<40).map { ItemIdentity.password(service: "other \($0)") }
        for other in others { try store.set(bytes(40), for: other) }
        try store.set(bytes(40_000), for: item)
        let isDone = Locked(false)
        let writers = DispatchGroup()
        for written in [item, others[39]] {
            writers.enter()
            Thread.detachNewThread {
                while !isDone.withLock({ $0 }) { try? store.set(bytes(written == item ? 40_000 : 40), for: written) }
                writers.leave()
            }
        }
        defer {
            isDone.withLock { $0 = true }
            writers.wait()
        }
        for _ in 0..<400 {
            let listed = try store.identities()
            #expect(Set(listed) == Set(others + [item]))
            #expect(listed.count == 41)
        }
    }

    @Test("the backend passes every check of the conformance suite", arguments: BackendConformance.checks)
    func conformance(_ check: BackendConformance.Check) async throws {
        let scratch = try ScratchKeyring()
        try await check.run(on: scratch.store())
    }
}
