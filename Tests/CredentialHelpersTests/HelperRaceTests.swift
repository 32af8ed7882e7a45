import CredentialHelpers
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Testing
import Threads

/// A source of items that runs another process's action before a chosen call.
private final class InterruptedItems: ItemSource {
    /// A call of a helper to its source.
    enum Call { case list, get, set, delete, look, expire, turn }

    let store: SecretStore
    private let refused = Locked<Call?>(nil)
    private let gets = Locked(0)
    private let interruption = Locked<(call: Call, count: Int, body: @Sendable () throws -> Void)?>(nil)

    init(_ store: SecretStore) {
        self.store = store
    }

    /// Runs `body` once, before call number `count` of this kind, counted from 1.
    func interrupt(before call: Call, _ count: Int = 1, _ body: @escaping @Sendable () throws -> Void) {
        interruption.withLock { $0 = (call, count, body) }
    }

    /// Makes all calls of this kind fail.
    func refuse(_ call: Call) { refused.withLock { $0 = call } }

    /// The number of calls of `get`.
    var countOfGets: Int { gets.withLock { $0 } }

    private func begin(_ call: Call) throws(SecretStoreError) {
        if refused.withLock({ $0 }) == call { throw SecretStoreError(.forbidden) }
        let body: (@Sendable () throws -> Void)? = interruption.withLock { interruption in
            guard let present = interruption, present.call == call else { return nil }
            guard present.count == 1 else {
                interruption?.count -= 1
                return nil
            }
            interruption = nil
            return present.body
        }
        #expect(throws: Never.self) { try body?() }
    }

    func identities() throws(SecretStoreError) -> [ItemIdentity] {
        try begin(.list)
        return try store.identities()
    }

    func get(_ item: ItemIdentity) throws(SecretStoreError) -> SecretBytes? {
        gets.withLock { $0 += 1 }
        try begin(.get)
        return try store.get(item)
    }

    func set(_ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration?) throws(SecretStoreError) {
        try begin(.set)
        try store.set(secret, for: item, lasting: Lifetime(timeout))
    }

    func delete(_ item: ItemIdentity) throws(SecretStoreError) -> Bool {
        try begin(.delete)
        return try store.delete(item)
    }

    func delete(_ item: ItemIdentity, ifUnchanged secret: borrowing SecretBytes) throws(SecretStoreError) -> Bool {
        try begin(.delete)
        return try store.delete(item, ifUnchanged: secret)
    }

    func takingTurns<Result>(
        at service: String, _ body: () throws(SecretStoreError) -> Result
    ) throws(SecretStoreError) -> Result {
        try begin(.turn)
        return try body()
    }

    func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes? {
        try begin(.look)
        return try store.attributes(of: item)
    }

    func expire(_ item: ItemIdentity, timeout: Duration?) throws(SecretStoreError) -> Bool {
        try begin(.expire)
        return try store.expire(item, timeout: timeout)
    }
}

/// Two helpers for the same items, one of which interrupts the other.
@Suite("Races of helpers")
struct HelperRaceTests {
    private let other = HelperUnderTest()
    private let items: InterruptedItems
    private let helper: HelperUnderTest

    init() {
        items = InterruptedItems(other.store)
        helper = HelperUnderTest(items, over: other.store)
    }

    private static let host = "protocol=https\nhost=example.org\nusername=alice\n"

    private static func login(_ user: String, at server: String, _ secret: String) -> String {
        "{\"ServerURL\":\"\(server)\",\"Username\":\"\(user)\",\"Secret\":\"\(secret)\"}"
    }

    @Test("an erase of the old password leaves a new one that is stored at the same time", arguments: [false, true])
    func eraseAgainstStore(isRecord: Bool) throws {
        let more = isRecord ? "oauth_refresh_token=r\n" : ""
        try other.git("store", Self.host + "password=old\n" + more)
        items.interrupt(before: .delete) { [other] in
            try other.git("store", Self.host + "password=new\n" + more)
        }
        try helper.git("erase", Self.host + "password=old\n")
        #expect(try other.git("get", Self.host).output.contains("password=new\n"))
    }

    @Test("a store that turns a record into a bare secret keeps a record stored in the meantime")
    func storeAgainstStore() throws {
        try other.git("store", Self.host + "password=old\noauth_refresh_token=r\n")
        items.interrupt(before: .delete) { [other] in
            try other.store.set(
                "{\"secret\":\"newer\",\"client\":\"git\"}",
                for: .credential(service: "https://example.org", account: "alice"))
        }
        try helper.git("store", Self.host + "password=new\n")
        #expect(try other.stored.values.contains { $0.contains("newer") })
    }

    @Test("a login as another user keeps an item stored under the old name in the meantime")
    func logins() throws {
        try other.docker("store", Self.login("alice", at: "ghcr.io", "old"))
        items.interrupt(before: .delete) { [other] in
            try other.store.set("newer", for: .internet(server: "ghcr.io", account: "alice"))
        }
        try helper.docker("store", Self.login("bob", at: "ghcr.io", "new"))
        #expect(try other.store.get(.internet(server: "ghcr.io", account: "alice"), as: String.self) == "newer")
    }

    @Test("docker's erase keeps an item that another client has stored over its record", arguments: [false, true])
    func dockerErases(isRead: Bool) throws {
        let record = ItemIdentity.credential(service: "single", account: "alice")
        try other.docker("store", Self.login("alice", at: "single", "s"))
        items.interrupt(before: isRead ? .delete : .get, isRead ? 1 : 2) { [other] in
            try other.store.set(#"{"secret":"t","client":"git"}"#, for: record)
        }
        try helper.docker("erase", "single")
        #expect(try other.stored == ["credential:single:alice": #"{"secret":"t","client":"git"}"#])
    }

    @Test("git finds an item that changes its kind between listing and reading", arguments: [false, true])
    func gitReads(isRecord: Bool) throws {
        let (plain, record) = (Self.host + "password=s\n", Self.host + "password=s\noauth_refresh_token=r\n")
        try other.git("store", isRecord ? record : plain)
        items.interrupt(before: .get) { [other] in
            try other.git("store", (isRecord ? plain : record).replacing("password=s", with: "password=t"))
        }
        #expect(try helper.git("get", Self.host).output.contains("password=t\n"))
    }

    @Test("docker finds the account that replaces the listed one", arguments: ["get", "list"])
    func dockerReads(operation: String) throws {
        try other.docker("store", Self.login("alice", at: "registry", "s"))
        items.interrupt(before: .get) { [other] in try other.docker("store", Self.login("bob", at: "registry", "s")) }
        #expect(try helper.docker(operation, "registry").output.contains("bob"))
    }

    @Test("docker's list has every account that replaces a listed one while list runs")
    func dockerListsAll() throws {
        try other.docker("store", Self.login("alice", at: "single", "s"))
        try other.docker("store", Self.login("alice", at: "other", "s"))
        items.interrupt(before: .get, 2) { [other] in
            for server in ["single", "other"] { try other.docker("store", Self.login("bob", at: server, "s")) }
        }
        let answer = try helper.docker("list").output
        #expect(answer.contains(#""single":"bob""#) && answer.contains(#""other":"bob""#), "\(answer)")
    }

    /// A lookup reads the kinds in the order password, internet, credential.
    @Test("a lookup by name finds an item that changes its kind during the lookup")
    func namedReads() throws {
        let record = ItemIdentity.credential(service: "https://example.org", account: "alice")
        try other.store.set("{\"secret\":\"s\"}", for: record)
        items.interrupt(before: .get, 3) { [other] in
            try other.store.set("s", for: .internet(server: "https://example.org", account: "alice"))
            try other.store.delete(record)
        }
        #expect(try helper.keyringGet("https://example.org", "alice").exitCode == 0)
    }

    @Test(
        "a secret that is replaced or deleted before its timeout is read ends now", arguments: [true, false])
    func endsNow(isReplaced: Bool) throws {
        let item = ItemIdentity.password(service: "t")
        try other.store.set("old", for: item)
        items.interrupt(before: .look) { [other] in
            try other.store.delete(item)
            if isReplaced { try other.store.set("new", for: item, lasting: .seconds(600)) }
        }
        let said = try helper.google("t")
        #expect(said.output.hasSuffix(#","id_token":"old","expiration_time":\#(HelperUnderTest.now)}"# + "\n"))
    }

    @Test("a deletion finds an item that changes its kind during the deletion")
    func namedDeletion() throws {
        let record = ItemIdentity.credential(service: "https://example.org", account: "alice")
        try other.store.set("{\"secret\":\"s\"}", for: record)
        items.interrupt(before: .get) { [other] in
            try other.store.set("s", for: .internet(server: "https://example.org", account: "alice"))
            try other.store.delete(record)
        }
        #expect(try helper.keyringDelete("https://example.org", "alice").exitCode == 0)
        #expect(try other.stored.isEmpty)
    }

    @Test(
        "a secret that another process stores before our turn is shortened, not stored again",
        arguments: [ItemIdentity.Kind.password, .internet])
    func storedBeforeTurn(kind: ItemIdentity.Kind) throws {
        let item = ItemIdentity(kind, service: "https://example.org", account: "alice")
        let helper = HelperUnderTest(items, over: other.store, timeout: .seconds(60))
        items.refuse(.set)
        items.interrupt(before: .turn) { [other] in try other.store.set("s", for: item, lasting: .seconds(600)) }
        try helper.git("store", Self.host + "password=s\n")
        #expect(try other.expiry(of: item) == HelperUnderTest.after(60))

        try other.store.clear()
        items.refuse(.expire)
        items.interrupt(before: .turn) { [other] in try other.store.set("s", for: item, lasting: .seconds(600)) }
        #expect(HelperUnderTest.code { try helper.git("store", Self.host + "password=s\n") } == .forbidden)
    }

    @Test("storing the same secret again does not take a turn")
    func noTurn() throws {
        try other.git("store", Self.host + "password=s\noauth_refresh_token=r\n")
        items.refuse(.turn)
        try helper.git("store", Self.host + "password=s\noauth_refresh_token=r\n")
        try helper.git("store", Self.host + "password=s\n")
    }

    @Test("a store fails if the item that it replaces can't be deleted")
    func undeletable() throws {
        try other.git("store", Self.host + "password=s\n")
        items.refuse(.delete)
        let request = Self.host + "password=s\noauth_refresh_token=r\n"
        #expect(HelperUnderTest.code { try helper.git("store", request) } == .forbidden)
    }

    @Test("a missing name is looked up three times in each kind")
    func looks() throws {
        #expect(try helper.keyringGet("none", "alice").exitCode != 0)
        #expect(items.countOfGets == 9)
    }

    @Test("a record is deleted by its name")
    func namedRecord() throws {
        try other.store.set("{\"secret\":\"s\"}", for: .credential(service: "x", account: "alice"))
        #expect(try helper.keyringDelete("x", "alice").exitCode == 0)
        #expect(try helper.keyringDelete("x", "alice").exitCode != 0)
    }

    @Test("by default, a source compares an item's secret before it deletes the item")
    func defaultDeletion() throws {
        let source = PlainItems(store: other.store)
        let item = ItemIdentity.password(service: "x")
        try other.store.set("new", for: item)
        #expect(try !source.delete(item, ifUnchanged: SecretBytes(utf8: "old")))
        #expect(try source.delete(item, ifUnchanged: SecretBytes(utf8: "new")))
        #expect(try !source.delete(item, ifUnchanged: SecretBytes(utf8: "new")))
        #expect(try source.takingTurns(at: "x") { 1 } == 1)
    }
}
