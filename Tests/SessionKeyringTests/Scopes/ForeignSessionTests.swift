import CTestFilters
import Foundation
import Keyutils
import SessionKeyring
import TestSupport
import Testing

private let item = ItemIdentity.password(service: "foreign")
private let other = ItemIdentity.password(service: "other")

@Suite(
    "A session that another user owns",
    .tags(.kernel, .root), .enabled(if: isRoot, "needs root to become another user"))
struct ForeignSessionTests {
    private static let uses: [String: @Sendable (SecretStore) throws -> Void] = [
        "set": { try $0.set("1", for: item) }, "add": { try $0.add("1", for: item) },
        "update": { try $0.blockingUpdate(item, lasting: .scope) { (_: String?) in "1" } },
        "save": { try $0.slot(for: item, as: String.self).save("1") },
        "lease": { _ = try $0.blockingTryLease("lease", lasting: .seconds(1)) },
        "fetch": { _ = try $0.backend.beginFetch(of: item) },
    ]

    @Test("storing is refused each time with an error that names the owner, and nothing is stored")
    func storing() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try TestSession.join()
            OrdinaryUser.become(60_231)
            let uses = Self.uses.sorted { $0.key < $1.key }
            // Each use is the first call of a store once, because a store remembers what its first call found out.
            for first in uses {
                let store = try SecretStore()
                for (number, use) in ([first] + uses).enumerated() {
                    let error = try storeError { try use.value(store) }
                    guard error?.code == .foreignSession(ownerID: 0),
                        error?.description.contains("belongs to user 0") == true
                    else { fatalError("\(use.key), call \(number) after \(first.key): \(String(describing: error))") }
                }
            }
            succeed(6, try Keyring.resolve(.sessionKeyring).members().isEmpty)
        }
    }

    @Test("reading, expiring and deleting still work")
    func readingGoesOn() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try TestSession.join()
            let root = try SecretStore()
            try root.set("root's", for: item)
            try root.set("root's", for: other)
            OrdinaryUser.become(60_232)
            let store = try SecretStore()
            succeed(3, try store.get(item) == "root's")
            succeed(5, try store.items().count == 2)
            succeed(6, try store.expire(item, timeout: .seconds(60)))
            succeed(7, try store.delete(item))
            try store.clear()
            succeed(8, try store.identities().isEmpty)
        }
    }

    @Test("if the scope is given explicitly, the session works like any other")
    func sharedSession() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try TestSession.join()
            let root = try SecretStore()
            OrdinaryUser.become(60_233)
            let store = try SecretStore(.sharedSession)
            try store.set("1", for: item, lasting: .seconds(60))
            try store.add("1", for: other)
            succeed(3, try store.blockingUpdate(item, lasting: .scope) { (old: String?) in (old ?? "") + "2" } == "12")
            succeed(4, try store.blockingTryLease("lease", lasting: .seconds(1)) != nil)
            succeed(5, try root.get(item) == "12")
            succeed(6, try store.delete(item))
        }
    }

    @Test("the other scopes work regardless of the session's owner")
    func otherScopes() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try TestSession.join()
            OrdinaryUser.become(60_234)
            for scope in [SecretScope.user, .process, .thread] {
                let store = try SecretStore(scope, namespace: "foreign")
                try store.set("1", for: item)
                succeed(3, try store.get(item) == "1")
                try store.clear()
            }
        }
    }

    @Test(
        "a forked child that becomes another user checks again, whether or not its parent stored",
        arguments: [false, true])
    func forkedChild(parentStores: Bool) async {
        await #expect(processExitsWith: .exitCode(0)) { [parentStores = parentStores as Bool] in
            try TestSession.join()
            let store = try SecretStore()
            if parentStores { try store.set("parent's", for: other) }
            let end = Self.inChild {
                OrdinaryUser.become(60_235)
                let error = try storeError { try store.set("child's", for: item) }
                succeed(4, error?.code == .foreignSession(ownerID: 0))
                // In its own session, the child stores there and not in its parent's session.
                try TestSession.join()
                try store.set("child's", for: item)
                succeed(5, try SecretStore().get(item) == "child's")
            }
            succeed(6, end == 0)
            succeed(7, try store.get(item) == nil as String?)
            try store.set("parent's", for: item)
        }
    }

    @Test("a child stores nothing in its parent's session or in its own if another user owns it")
    func foreignSessionsOfChild() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let session = try TestSession.join()
            let store = try SecretStore()
            func storeInVain() throws {
                let error = try storeError { try store.set("child's", for: item) }
                succeed(4, error?.code == .foreignSession(ownerID: 0))
            }
            let endInOwnSession = Self.inChild {
                OrdinaryUser.become(60_237)
                // This link keeps the parent's session reachable.
                try Keyring.thread.link(Key(session))
                try TestSession.join()
                try storeInVain()
            }
            succeed(5, endInOwnSession == 0)
            let endInForeignSession = Self.inChild {
                try TestSession.join()
                OrdinaryUser.become(60_237)
                try storeInVain()
            }
            succeed(6, endInForeignSession == 0)
            succeed(7, try session.members().isEmpty)
        }
    }

    @Test("foreignOwner reports who owns the session before anything is stored")
    func owner() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try TestSession.join()
            succeed(3, try SecretScope.session.foreignOwner() == nil)
            OrdinaryUser.become(60_238)
            succeed(4, try SecretScope.session.foreignOwner() == 0)
            for scope in [SecretScope.sharedSession, .user] { succeed(5, try scope.foreignOwner() == nil) }
            let own = try TestSession.join()
            succeed(6, try SecretScope.session.foreignOwner() == nil)
            try Key(own).revoke()
            succeed(8, try storeError { _ = try SecretScope.session.foreignOwner() }?.code == .sessionRevoked)
        }
    }

    @Test("a child of the same user can store as its parent does")
    func sameUser() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(of: 60_236, with: item, "parent's")
            succeed(3, Self.inChild { try store.set("child's", for: item) } == 0)
            succeed(4, try store.get(item) == "child's")
        }
    }

    /// Runs `body` in a forked process, and returns its exit code.
    private static func inChild(_ body: () throws -> Void) -> Int32 {
        let child = test_fork()
        if child == 0 {
            do {
                try body()
                exit(0)
            } catch {
                FileHandle.standardError.write(Data("child: \(error)\n".utf8))
                exit(99)
            }
        }
        var status = CInt()
        waitpid(child, &status, 0)
        return status >> 8
    }
}
