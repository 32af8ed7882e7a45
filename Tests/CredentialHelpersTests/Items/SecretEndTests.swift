import CredentialHelpers
import Keyutils
import SessionKeyring
import Testing
import Threads

/// A source that can show a chosen time left, and counts the calls that read timeouts.
private final class ShownItems: ForwardingItems {
    let store: SecretStore
    /// The time left to show for every item, or `nil` for the store's own.
    let shown: ItemAttributes.Expiry?
    private let count = Locked(0)

    init(_ store: SecretStore, shown: ItemAttributes.Expiry? = nil) {
        self.store = store
        self.shown = shown
    }

    /// The number of calls of `attributes(of:)`.
    var looks: Int { count.withLock { $0 } }

    func expire(_ item: ItemIdentity, timeout: Duration?) throws(SecretStoreError) -> Bool {
        try store.expire(item, timeout: timeout)
    }

    func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes? {
        count.withLock { $0 += 1 }
        let found = try store.attributes(of: item)
        guard let found, let shown else { return found }
        return ItemAttributes(
            item: item, size: found.size, expiry: shown, serial: found.serial, userID: found.userID,
            groupID: found.groupID, permissions: found.permissions)
    }
}

@Suite("Clients get a secret's expiry, and storing it again can shorten its timeout")
struct SecretEndTests {
    private let test = HelperUnderTest()
    private static let keys = #"{"AccessKeyId":"AK","SecretAccessKey":"s"}"#
    private static let registry = "sparse+https://r.example/index/"
    private static let cargoGet = #"{"v":1,"kind":"get","registry":{"index-url":"\#(registry)"}}"#
    private static let uri = "https://cache.example"

    /// Stores an item for each client, with this timeout.
    private func fill(timeout: Duration?) throws {
        try test.store.set(Self.keys, for: .password(service: "aws"), lasting: Lifetime(timeout))
        for service in ["token", Self.registry, Self.uri] {
            try test.store.set("t", for: .password(service: service), lasting: Lifetime(timeout))
        }
    }

    /// Returns the answers to all clients that can be told an expiry, from these items.
    private func answers(from items: any ItemSource) throws -> [String] {
        let test = HelperUnderTest(items, over: self.test.store)
        return [
            try test.aws("aws").output, try test.kubernetes("token").output, try test.google("token").output,
            try test.answer(Self.cargoGet.utf8) { try test.helper.cargo($0) }.output,
            try test.bazel(#"{"uri":"\#(Self.uri)/x"}"#).output,
        ]
    }

    private static func fields(in seconds: Int64) -> [String] {
        let time = HelperUnderTest.time(in: seconds)
        return [
            #","Expiration":"\#(time)""#, #","expirationTimestamp":"\#(time)""#,
            #","expiration_time":\#(HelperUnderTest.now + seconds)"#,
            #","cache":"expires","expiration":\#(HelperUnderTest.now + seconds)"#, #","expires":"\#(time)""#,
        ]
    }

    @Test("an item's timeout is reported as its expiry, with the least time that the kernel shows")
    func timeouts() throws {
        try fill(timeout: .seconds(5_400))
        for (answer, field) in zip(try answers(from: test.store), Self.fields(in: 5_400)) {
            #expect(answer.contains(field))
        }
        let rounded = ShownItems(
            test.store, shown: .after(KeyTimeLeft(atLeast: .seconds(3_600), precision: .seconds(3_600))))
        for (answer, field) in zip(try answers(from: rounded), Self.fields(in: 3_600)) {
            #expect(answer.contains(field))
        }
    }

    @Test("no expiry is reported without a timeout, or if the source reports no timeouts", arguments: [false, true])
    func unknown(hasTimeout: Bool) throws {
        try fill(timeout: hasTimeout ? .seconds(60) : nil)
        let sources: [any ItemSource] =
            hasTimeout
            ? [ShownItems(test.store, shown: .unknown), PlainItems(store: test.store)]
            : [test.store, ShownItems(test.store)]
        for source in sources {
            let answers = try answers(from: source)
            #expect(answers[0] == #"{"Version":1,"AccessKeyId":"AK","SecretAccessKey":"s"}"# + "\n")
            #expect(answers[3].contains(#""cache":"session""#))
            #expect(!answers.joined().lowercased().contains("expir"))
        }
    }

    @Test("an item in its last second is returned, with the current time as its expiry")
    func lastSecond() throws {
        try fill(timeout: .seconds(60))
        let last = ShownItems(test.store, shown: .after(KeyTimeLeft(atLeast: .zero, precision: .seconds(1))))
        for (answer, field) in zip(try answers(from: last), Self.fields(in: 0)) { #expect(answer.contains(field)) }
    }

    @Test("an expiry in the payload is reported unchanged, and the timeout is not read")
    func ownExpiry() throws {
        let end = HelperUnderTest.now + 100
        let keys = #"{"AccessKeyId":"AK","SecretAccessKey":"s","Expiration":\#(end)}"#
        try test.store.set(keys, for: .password(service: "aws"), lasting: .seconds(5_400))
        for service in ["token", Self.registry, Self.uri] {
            try test.store.set(
                #"{"secret":"t","expires":\#(end)}"#, for: .credential(service: service), lasting: .seconds(5_400))
        }
        let items = ShownItems(test.store)
        for (answer, field) in zip(try answers(from: items), Self.fields(in: 100)) { #expect(answer.contains(field)) }
        #expect(items.looks == 0)
    }

    @Test("for clients that can't be told an expiry, no timeout is read")
    func noLooks() throws {
        try test.store.set("t", for: .internet(server: "https://g.example", account: "me"), lasting: .seconds(60))
        try test.store.set("t", for: .internet(server: "r.example", account: "me"), lasting: .seconds(60))
        let items = ShownItems(test.store)
        let shown = HelperUnderTest(items, over: test.store)
        let server = "https://g.example"
        for answer in [
            try shown.docker("get", "r.example"), try shown.npm(server, "me"), try shown.go(server + "/x"),
            try shown.answer { _ in try shown.helper.go(server, account: "me", prefix: server, url: nil) },
            try shown.answer { _ in try shown.helper.headers(server, account: "me") },
            try shown.vault("get", server: server), try shown.keyringGet(server, "me"),
        ] { #expect(answer.exitCode == 0) }
        #expect(items.looks == 0)
    }
}

extension SecretEndTests {
    private static let login = "protocol=https\nhost=g.example\nusername=me\npassword=p\n"
    private static let item = ItemIdentity.internet(server: "https://g.example", account: "me")

    private func store(in items: any ItemSource, timeout: Duration?, _ request: String = login) throws {
        let test = HelperUnderTest(items, over: self.test.store, timeout: timeout)
        #expect(try test.git("store", request) == .init(output: ""))
    }

    private func left() throws -> ItemAttributes.Expiry? { try test.expiry(of: Self.item) }

    @Test("storing the same secret with a shorter timeout shortens a longer timeout or sets one")
    func shortens() throws {
        try store(in: test.store, timeout: nil)
        #expect(try left() == .never)
        for seconds in [28_800, 3_600, 60] as [Int64] {
            try store(in: test.store, timeout: .seconds(seconds))
            #expect(try left() == HelperUnderTest.after(seconds))
        }
    }

    @Test("docker's login with the same secret and a shorter timeout shortens the timeout")
    func dockerShortens() throws {
        let item = ItemIdentity.internet(server: "ghcr.io", account: "me")
        for (timeout, expected) in [(nil, .never), (60, HelperUnderTest.after(60)), (3_600, HelperUnderTest.after(60))]
            as [(Int64?, ItemAttributes.Expiry)]
        {
            let test = HelperUnderTest(self.test.store, over: self.test.store, timeout: timeout.map { .seconds($0) })
            let login = #"{"ServerURL":"ghcr.io","Username":"me","Secret":"s"}"#
            #expect(try test.docker("store", login).exitCode == 0)
            #expect(try test.expiry(of: item) == expected)
        }
    }

    @Test("storing the same secret with an equal, longer or no timeout does not renew the item")
    func renewsNothing() throws {
        try store(in: test.store, timeout: .seconds(3_600))
        for timeout in [Duration.seconds(3_600), .seconds(28_800), nil] {
            try store(in: test.store, timeout: timeout)
            #expect(try left() == HelperUnderTest.after(3_600))
        }
    }

    @Test("a timeout stays if its time left is rounded or unknown and might already be shorter")
    func rounded() throws {
        try store(in: test.store, timeout: .seconds(28_800))
        let shown = KeyTimeLeft(atLeast: .seconds(7 * 3_600), precision: .seconds(3_600))
        try store(in: ShownItems(test.store, shown: .after(shown)), timeout: .seconds(28_700))
        try store(in: ShownItems(test.store, shown: .after(shown)), timeout: .seconds(7 * 3_600))
        try store(in: ShownItems(test.store, shown: .unknown), timeout: .seconds(60))
        try store(in: PlainItems(store: test.store), timeout: .seconds(60))
        #expect(try left() == HelperUnderTest.after(28_800))
        try store(in: ShownItems(test.store, shown: .after(shown)), timeout: .seconds(7 * 3_600 - 1))
        #expect(try left() == HelperUnderTest.after(7 * 3_600 - 1))
    }

    @Test("storing the same secret without a timeout does not read timeouts")
    func storesWithoutLooking() throws {
        let items = ShownItems(test.store)
        let end = "password_expiry_utc=\(HelperUnderTest.now + 600)\n"
        let ending = Self.login.replacing("password=p", with: "password=e") + end
        for request in [Self.login, ending] {
            for _ in 1...2 { try store(in: items, timeout: nil, request) }
        }
        try store(in: items, timeout: .seconds(60), Self.login.replacing("password=p", with: "password=q"))
        #expect(items.looks == 0)
        #expect(try left() == HelperUnderTest.after(60))
    }
}
