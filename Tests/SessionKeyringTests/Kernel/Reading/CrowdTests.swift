import Foundation
import Keyutils
import SessionKeyringTesting
import TestSupport
import Testing

@testable import SessionKeyring

private let item = ItemIdentity.password(service: "api")

/// Reads and lists with so many namespaces that the store briefly links keys into the thread keyring.
@Suite("Reading with many namespaces", .tags(.kernel))
struct CrowdTests {
    @Test("items are read and listed correctly, and the thread keyring is empty afterwards")
    func reading() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let session = try TestSession.join()
            try crowd()
            let store = try SecretStore(namespace: "mine")
            try store.set("1", for: item)
            // The set has created the thread keyring.
            succeed(2, try Keyring.thread.members().isEmpty)
            for number in 2..<200 {
                try store.set("\(number)", for: item)
                succeed(3, try store.get(item) == "\(number)")
                succeed(4, try Keyring.thread.members().isEmpty)
            }
            succeed(5, try store.identities() == [item] && store.items().map(\.size) == [3])
            succeed(6, try Keyring.thread.members().isEmpty)
            // The closure can store another value.
            let stored = try store.withBytes(of: item) { _ in
                (try? store.set("new", for: item)) != nil && (try? store.get(item)) == "new"
            }
            succeed(7, try stored == true && store.get(item) == "new")
            try store.delete(item)
            succeed(8, try store.get(item, as: String.self) == nil)
            try store.set("short", for: item, timeout: .seconds(1))
            succeed(9, try becomesTrue(within: 1.1) { try store.get(item, as: String.self) == nil })
            try store.set("2", for: item)
            try session.clear()
            succeed(10, try store.get(item, as: String.self) == nil)
            exit(0)
        }
    }

    @Test("the keys in a thread's keyring stay there")
    func ownKeys() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try TestSession.join()
            try crowd()
            let store = try SecretStore(namespace: "mine")
            try store.set("stored", for: item)
            let own = try Keyring.thread.add(.user, item.keyDescription, payload: "own".utf8.span.bytes)
            let mine = try SecretStore(.thread, namespace: "mine")
            // A set stages its key in the thread keyring under the item's name. So this one uses another item.
            let other = ItemIdentity.password(service: "the thread's")
            try mine.set("the thread's", for: other)
            succeed(2, try store.get(item) == "stored")
            succeed(3, try mine.get(other) == "the thread's")
            succeed(4, try Keyring.thread.links(own))
            exit(0)
        }
    }

    @Test("reads link keys only in a crowd, and only into an existing, empty thread keyring")
    func nearPlace() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try TestSession.join()
            guard let backend = try SecretStore(namespace: "mine").backend as? KernelBackend else { exit(2) }
            backend.rings.rememberSize(100)
            succeed(3, backend.nearPlace == nil)
            _ = try Keyring.resolve(.threadKeyring, create: true)
            succeed(4, backend.nearPlace == .thread)
            let own = try Keyring.thread.add(.user, "own", payload: "own".utf8.span.bytes)
            succeed(5, backend.nearPlace == nil)
            try Keyring.thread.unlink(own)
            succeed(6, backend.nearPlace == .thread)
            backend.rings.rememberSize(1)
            succeed(7, backend.nearPlace == nil)
            exit(0)
        }
    }

    @Test("a thread that has lost its session can no longer read the session's items")
    func lostSession() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let session = try TestSession.join()
            try crowd()
            let store = try SecretStore(namespace: "mine")
            try store.set("stored", for: item)
            succeed(2, try store.get(item) == "stored")
            try Key(session).revoke()
            succeed(3, (try? store.get(item, as: String.self)) == nil)
            try TestSession.join()
            succeed(4, (try? store.get(item, as: String.self)) == nil)
            exit(0)
        }
    }

    @Test("without any quota left, reads work without a link", .enabled(if: isRoot))
    func noQuota() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try OrdinaryUser.becomeInNewSession(60_450)
            try TestSession.join()
            try crowd()
            let store = try SecretStore(namespace: "mine")
            try store.set("stored", for: item)
            let filling = try Keyring.resolve(.sessionKeyring).addKeyring("filling")
            for size in [4_000, 1_000, 200, 50, 10, 1] {
                for number in 0... {
                    let payload = [UInt8](repeating: 1, count: size)
                    guard (try? filling.add(.user, "\(size)-\(number)", payload: payload.span.bytes)) != nil else {
                        break
                    }
                }
            }
            succeed(2, try store.get(item) == "stored")
            succeed(3, try store.identities() == [item])
            exit(0)
        }
    }
}

/// Creates 40 namespaces in addition to the one that the test uses.
private func crowd() throws {
    for number in 0..<40 { try SecretStore(namespace: "other \(number)").set("other", for: item) }
}
