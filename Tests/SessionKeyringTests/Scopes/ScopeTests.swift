import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

private let item = ItemIdentity.password(service: "scope", account: "item")

@Suite("Every thread and process of a scope sees the same items", .tags(.kernel, .threads))
struct ScopeTests {
    @Test(
        "without a session keyring, all threads and stores share their items",
        .enabled(
            if: ((try? Key.request(.keyring, "_ses").describe().userID) ?? geteuid()) == geteuid(),
            "with sudo, the session is another user's"))
    func withoutSession() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try threadsShareItems(in: "skr-test-\(getpid())")
        }
    }

    @Test("in a private session keyring, all threads and stores share their items")
    func withSession() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try TestSession.join()
            try threadsShareItems(in: "skr-test-\(getpid())")
        }
    }

    @Test(
        "all threads of an ordinary user share their items, with and without a session keyring",
        arguments: [false, true])
    func ordinaryUser(inSession: Bool) async {
        await #expect(processExitsWith: .exitCode(0)) { [inSession = inSession as Bool] in
            OrdinaryUser.become(inSession ? 60_201 : 60_202)
            if inSession { try TestSession.join() }
            // If a thread of the test run has looked for a session, this process has inherited root's user
            // session keyring.
            if try Key(Keyring.resolve(.sessionKeyring)).describe().userID != geteuid() { exit(0) }
            try threadsShareItems(in: "skr-test-\(getpid())")
        }
    }

    @Test("a child process of the session sees the items, and its parent sees the child's")
    func childProcess() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set("parent's", for: item)
        let serial = scratch.keyring.serial.rawValue
        await #expect(processExitsWith: .exitCode(0)) { [serial = serial as Int32] in
            let store = try SecretStore(.keyring(KeySerial(rawValue: serial)))
            succeed(3, try store.get(item) == "parent's")
            try store.set("child's", for: item)
        }
        #expect(try store.get(item) == "child's")
    }

    @Test("another session of the same user does not see the items, and can't read them by serial")
    func otherSession() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let mine = try SecretStore.inNewSession(with: item, "hidden")
            let serial = try mine.items()[0].serial
            // The thread joins its own session. The first session stays alive, because the other threads of the
            // process use it.
            try ThreadTeam.run(1) { _ in
                try TestSession.join()
                let other = try SecretStore()
                succeed(3, try other.get(item) == nil as String?)
                succeed(4, try other.items().isEmpty)
                succeed(6, try keyringError { _ = try Key(serial).read() }?.code == .accessDenied)
                try other.set("other", for: item)
                try other.clear()
            }
            succeed(7, try mine.get(item) == "hidden")
        }
    }

    @Test("the session scope never returns the user scope's items, even if the session links @u")
    func sessionLinksUserKeyring() async {
        await #expect(processExitsWith: .exitCode(0)) {
            OrdinaryUser.become(60_203)
            let session = try TestSession.join()
            try session.link(Key(Keyring.resolve(.userKeyring)))
            let user = try SecretStore(.user)
            try user.set("user's", for: item)
            let mine = try SecretStore(.session)
            succeed(3, try mine.get(item) == nil as String?)
            succeed(4, try !mine.delete(item))
            try mine.set("session's", for: item)
            succeed(5, try user.get(item) == "user's")
            try mine.clear()
            succeed(6, try user.get(item) == "user's")
        }
    }

    @Test("every operation of the user scope works, even if the user keyring is not possessed")
    func userKeyringNotPossessed() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try OrdinaryUser.becomeInNewSession(60_204)
            let store = try SecretStore(.user, namespace: "unlinked")
            try store.set("1", for: item, lasting: .seconds(100))
            succeed(3, try store.get(item) == "1")
            try store.set("2", for: item)
            succeed(4, try store.expire(item, timeout: .seconds(50)))
            succeed(5, try store.items().map(\.size) == [1])
            succeed(7, try storeError { try store.add("3", for: item) }?.code == .duplicate)
            // Another session of the same user.
            try ThreadTeam.run(1) { _ in
                try TestSession.join()
                let other = try SecretStore(.user, namespace: "unlinked")
                succeed(8, try other.get(item) == "2")
                succeed(9, try other.delete(item))
                try other.add("4", for: item)
            }
            succeed(10, try store.get(item) == "4")
            try store.clear()
            succeed(11, try store.identities().isEmpty)
        }
    }

    @Test("the persistent scope works on threads that never asked for its keyring")
    func persistent() async {
        await #expect(processExitsWith: .exitCode(0)) {
            try OrdinaryUser.becomeInNewSession(60_205)
            let store: SecretStore
            do {
                store = try SecretStore(.persistent, namespace: "lasting")
            } catch let error as SecretStoreError where error.underlying?.code == .unsupported {
                // This kernel has no persistent keyrings.
                exit(0)
            }
            try store.set("1", for: item, lasting: .seconds(60))
            try ThreadTeam.run(2) { thread in
                succeed(3, try store.get(item) == "1")
                try store.set("x", for: .password(service: "thread", account: "\(thread)"))
            }
            succeed(4, try store.identities().count == 3)
            let again = try SecretStore(.persistent, namespace: "lasting")
            succeed(5, try again.get(item) == "1")
            try store.clear()
        }
    }

    @Test("the process and thread scopes keep their items to themselves")
    func processAndThread() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let process = try SecretStore(.process)
            let thread = try SecretStore(.thread)
            try process.set("p", for: item)
            try thread.set("t", for: item)
            succeed(3, try process.get(item) == "p")
            succeed(4, try thread.get(item) == "t")
            try ThreadTeam.run(1) { _ in
                succeed(5, try process.get(item) == "p")
                let own = try SecretStore(.thread)
                succeed(6, try own.get(item) == nil as String?)
                succeed(8, try storeError { _ = try thread.get(item, as: String.self) }?.detail == .foreignThread)
            }
            succeed(9, try thread.items().count == 1)
        }
    }

    @Test("a revoked session is reported as an error, and never replaced by a new one")
    func revokedSession() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let store = try SecretStore.inNewSession(with: item)
            try Key(Keyring.resolve(.sessionKeyring)).revoke()
            for use in [
                { _ = try store.get(item, as: String.self) }, { try store.set("2", for: item) },
                { try store.add("2", for: item) }, { try store.delete(item) }, { try store.clear() },
                { _ = try store.items() }, { _ = try SecretStore() },
            ] as [() throws -> Void] {
                succeed(4, try storeError(use)?.code == .sessionRevoked)
            }
        }
    }

    @Test("an explicit scope must be a keyring, and it resolves special ids for the calling thread")
    func explicit() throws {
        let scratch = try ScratchKeyring()
        let key = try scratch.keyring.add(.user, "key", payload: [1].span.bytes)
        let error = try storeError { _ = try SecretScope.keyring(key.serial).resolve() }
        #expect(error?.underlying?.code == .notKeyring)
        #expect(try SecretScope.keyring(scratch.keyring.serial).resolve() == scratch.keyring)
        #expect(try SecretScope.keyring(.sessionKeyring).resolve() == Keyring.resolve(.sessionKeyring))
    }

    @Test("namespaces keep their items apart")
    func namespaces() throws {
        let scratch = try ScratchKeyring()
        let (one, two) = (try scratch.store(namespace: "one"), try scratch.store(namespace: "two"))
        try one.set("1", for: item)
        try two.set("2", for: item)
        #expect(try one.get(item) == "1")
        try one.clear()
        #expect(try two.get(item) == "2")
    }
}

/// Checks that a store used on several threads, and stores created on other threads, share their items.
private func threadsShareItems(in namespace: String) throws {
    let anchor = try Keyring.resolve(.sessionKeyring)
    let before = try anchor.members()
    let store = try SecretStore(namespace: namespace)
    try store.set("main's", for: item, lasting: .seconds(60))
    try ThreadTeam.run(4) { thread in
        succeed(3, try store.get(item) == "main's")
        try store.set("\(thread)", for: .password(service: "thread", account: "\(thread)"), lasting: .seconds(60))
        let own = try SecretStore(namespace: namespace)
        succeed(4, try own.get(item) == "main's")
        try own.set("own", for: .password(service: "own", account: "\(thread)"), lasting: .seconds(60))
    }
    succeed(5, try store.identities().count == 9)
    let again = try SecretStore(namespace: namespace)
    succeed(6, try again.get(.password(service: "own", account: "3")) == "own")
    try store.clear()
    // A process without a session shares its keyring with the user's other processes, so only this test's rings
    // are removed.
    for serial in try anchor.members() where !before.contains(serial) {
        // Rings of other tests come and go at the same time.
        guard let name = try? Key(serial).describe().name else { continue }
        if name == "skr:" + namespace || name == NamespaceRings.leasesName { try anchor.unlink(Key(serial)) }
    }
}
