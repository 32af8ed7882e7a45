import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

@Suite("Passwords for servers", .tags(.kernel))
struct InternetPasswordTests {
    @Test("a password is read as text in one expression, by server alone or with the account")
    func text() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        try store.set(InternetCredentials(account: "alice", password: "pässword"), server: "example.com")
        #expect(try store.get(server: "example.com")?.passwordText == "pässword")
        #expect("\(try store.get(server: "example.com")?.account ?? "")" == "alice")
        try store.set(InternetCredentials(account: "bob", password: "second"), server: "example.com")
        #expect(try store.get(server: "example.com", account: "alice")?.passwordText == "pässword")
        #expect(try store.get(server: "example.com", account: "bob")?.passwordText == "second")
        #expect(try store.get(server: "example.com", account: "carol")?.passwordText == nil)
    }

    @Test("a password that isn't UTF-8 is nil as text, but can be read as bytes")
    func bytes() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let credentials = InternetCredentials(account: "alice", password: SecretBytes(copying: [0xFF, 0xFE]))
        try store.add(credentials, server: "example.com")
        #expect(try store.get(server: "example.com")?.passwordText == nil)
        #expect(try store.get(server: "example.com")?.password.count == 2)
    }

    @Test(
        "setting credentials with deletingOthers keeps the new ones even if a rival deletes them",
        arguments: [false, true], [false, true])
    func alone(inTask isInTask: Bool, isRaced: Bool) async throws {
        let backend = Rival(moment: isRaced ? .deletion : nil)
        let store = SecretStore(backend: backend)
        for other in ["bob", "carol"] {
            try store.set(InternetCredentials(account: other, password: "old"), server: "h")
        }
        try await setAlone(in: store, inTask: isInTask, timeout: .seconds(3_600))
        #expect(try store.identities() == [alice])
        #expect(try store.get(server: "h")?.passwordText == "new")
        #expect(backend.sets.withLock { $0 } == (isRaced ? 4 : 3))
        #expect(try (store.timeLeft(of: alice)?.atLeast ?? .zero) > .seconds(3_500))
    }

    @Test("setting credentials keeps those of other accounts by default", arguments: [false, true])
    func beside(inTask isInTask: Bool) async throws {
        let store = SecretStore(backend: InMemoryBackend())
        for account in ["bob", "alice"] {
            let credentials = InternetCredentials(account: account, password: "new")
            if isInTask {
                try await store.set(credentials, server: "h", waiting: .seconds(1))
            } else {
                try store.set(credentials, server: "h")
            }
        }
        #expect(try store.identities().map(\.account) == ["alice", "bob"])
    }

    @Test(
        "set does not restore credentials that a rival deletes if no other account existed",
        arguments: [false, true])
    func deletedAtOnce(inTask isInTask: Bool) async throws {
        let backend = Rival(moment: .set)
        let store = SecretStore(backend: backend)
        try await setAlone(in: store, inTask: isInTask)
        #expect(try store.identities().isEmpty)
        #expect(backend.sets.withLock { $0 } == 1)
    }

    @Test("a task that is cancelled midway still restores credentials that a rival deleted")
    func cancelledAlone() async throws {
        let store = SecretStore(backend: Rival(moment: .deletion, isCancelling: true))
        try store.set(InternetCredentials(account: "bob", password: "old"), server: "h")
        try await Task { try await setAlone(in: store, inTask: true) }.value
        #expect(try store.identities() == [alice])
    }

    @Test(
        "set throws if it can't delete the other accounts or can't store the new credentials again",
        arguments: [false, true], [false, true])
    func unfinished(inTask isInTask: Bool, refusesDeletion: Bool) async throws {
        let store = SecretStore(backend: Refusing(refusesDeletion: refusesDeletion))
        try store.set(InternetCredentials(account: "bob", password: "old"), server: "h")
        await #expect { try await setAlone(in: store, inTask: isInTask) } throws: {
            ($0 as? SecretStoreError)?.code == .forbidden
        }
    }
}

private let alice = ItemIdentity.internet(server: "h", account: "alice")

/// Stores Alice's credentials and deletes those of other accounts, in the form for tasks or in the blocking form.
private func setAlone(in store: SecretStore, inTask isInTask: Bool, timeout: Duration? = nil) async throws {
    let credentials = InternetCredentials(account: "alice", password: "new")
    if isInTask {
        try await store.set(credentials, server: "h", timeout: timeout, deletingOthers: true, waiting: .seconds(1))
    } else {
        try store.set(credentials, server: "h", timeout: timeout, deletingOthers: true)
    }
}

/// A backend in which a rival deletes Alice's credentials after each set or each deletion, and that counts the sets.
private struct Rival: ForwardingBackend {
    enum Moment { case set, deletion }

    let whole: any SecretBackend = InMemoryBackend()
    let sets = Locked(0)
    let moment: Moment?
    var isCancelling = false

    func set(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort,
        after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Void> {
        sets.withLock { $0 += 1 }
        let outcome = try whole.set(bytes, for: item, timeout: timeout, facts, effort, after: step)
        if moment == .set { _ = try whole.delete(alice, effort, after: nil) }
        return outcome
    }

    func delete(
        _ item: ItemIdentity, _ effort: Effort, after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Bool> {
        let wasThere = try whole.delete(item, effort, after: step)
        if moment == .deletion { _ = try whole.delete(alice, effort, after: nil) }
        if isCancelling { withUnsafeCurrentTask { $0?.cancel() } }
        return wasThere
    }
}

/// A backend that refuses every deletion, or deletes Alice's credentials with any item and stores them only once.
private struct Refusing: ForwardingBackend {
    let whole: any SecretBackend = InMemoryBackend()
    let refusesDeletion: Bool
    let wasStored = Locked(false)

    func set(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort,
        after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Void> {
        let isAgain = wasStored.withLock { wasStored in
            defer { if item == alice { wasStored = true } }
            return item == alice && wasStored
        }
        if isAgain { throw SecretStoreError(.forbidden, item: item) }
        return try whole.set(bytes, for: item, timeout: timeout, facts, effort, after: step)
    }

    func delete(
        _ item: ItemIdentity, _ effort: Effort, after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Bool> {
        if refusesDeletion { throw SecretStoreError(.forbidden, item: item) }
        _ = try whole.delete(alice, effort, after: nil)
        return try whole.delete(item, effort, after: step)
    }
}
