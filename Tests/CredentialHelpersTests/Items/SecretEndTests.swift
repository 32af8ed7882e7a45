import CredentialHelpers
import Keyutils
import SessionKeyring
import Testing
import Threads

/// A source that can show a chosen time left, and counts the calls that read timeouts.
private final class ShownItems: ItemSource {
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

    func identities() throws(SecretStoreError) -> [ItemIdentity] { try store.identities() }
    func get(_ item: ItemIdentity) throws(SecretStoreError) -> SecretBytes? { try store.get(item) }
    func delete(_ item: ItemIdentity) throws(SecretStoreError) -> Bool { try store.delete(item) }
    func expire(_ item: ItemIdentity, timeout: Duration) throws(SecretStoreError) -> Bool {
        try store.expire(item, timeout: timeout)
    }
    func set(_ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration?) throws(SecretStoreError) {
        try store.set(secret, for: item, timeout: timeout)
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

/// A source that does not report timeouts, like one written before the protocol had them.
private struct PlainItems: ItemSource {
    let store: SecretStore

    func identities() throws(SecretStoreError) -> [ItemIdentity] { try store.identities() }
    func get(_ item: ItemIdentity) throws(SecretStoreError) -> SecretBytes? { try store.get(item) }
    func delete(_ item: ItemIdentity) throws(SecretStoreError) -> Bool { try store.delete(item) }
    func set(_ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration?) throws(SecretStoreError) {
        try store.set(secret, for: item, timeout: timeout)
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
        try test.store.set(Self.keys, for: .password(service: "aws"), timeout: timeout)
        for service in ["token", Self.registry, Self.uri] {
            try test.store.set("t", for: .password(service: service), timeout: timeout)
        }
    }

    /// Returns the answers to all clients that can be told an expiry, from these items.
    private func answers(from items: any ItemSource) throws -> [String] {
        let helper = CredentialHelper(items: items, clock: { HelperUnderTest.now })
        let request = #"{"uri":"\#(Self.uri)/x"}"#
        return [
            try test.answer { _ in try helper.aws("aws") }.output,
            try test.answer { try helper.kubernetes("token", request: $0) }.output,
            try test.answer { _ in try helper.google("token", tokenType: nil) }.output,
            try test.answer(Self.cargoGet.utf8) { try helper.cargo($0) }.output,
            try test.answer(request.utf8) { try helper.bazel("get", request: $0) }.output,
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
        try test.store.set(keys, for: .password(service: "aws"), timeout: .seconds(5_400))
        for service in ["token", Self.registry, Self.uri] {
            try test.store.set(
                #"{"secret":"t","expires":\#(end)}"#, for: .credential(service: service), timeout: .seconds(5_400))
        }
        let items = ShownItems(test.store)
        for (answer, field) in zip(try answers(from: items), Self.fields(in: 100)) { #expect(answer.contains(field)) }
        #expect(items.looks == 0)
    }

    @Test("for clients that can't be told an expiry, no timeout is read")
    func noLooks() throws {
        try test.store.set("t", for: .internet(server: "https://g.example", account: "me"), timeout: .seconds(60))
        try test.store.set("t", for: .internet(server: "r.example", account: "me"), timeout: .seconds(60))
        let items = ShownItems(test.store)
        let helper = CredentialHelper(items: items, clock: { HelperUnderTest.now })
        #expect(
            try test.answer("protocol=https\nhost=g.example\n".utf8) { try helper.git("get", request: $0) }.output
                == "username=me\npassword=t\n")
        #expect(
            try test.answer("r.example".utf8) { try helper.docker("get", request: $0, version: "1") }.exitCode == 0)
        for answer in [
            try test.answer { _ in try helper.npm("https://g.example", account: "me") },
            try test.answer { _ in try helper.go(url: "https://g.example/x") },
            try test.answer { _ in
                try helper.go("https://g.example", account: "me", prefix: "https://g.example", url: nil)
            },
            try test.answer { _ in try helper.headers("https://g.example", account: "me") },
            try test.answer { try helper.vault("get", server: "https://g.example", request: $0) },
            try test.answer { _ in
                try helper.keyringGet(service: "https://g.example", user: "me", form: .password)
            },
        ] { #expect(answer.exitCode == 0) }
        #expect(items.looks == 0)
    }
}

extension SecretEndTests {
    private static let login = "protocol=https\nhost=g.example\nusername=me\npassword=p\n"
    private static let item = ItemIdentity.internet(server: "https://g.example", account: "me")

    private func store(in items: any ItemSource, timeout: Duration?, _ request: String = login) throws {
        let helper = CredentialHelper(items: items, timeout: timeout, clock: { HelperUnderTest.now })
        #expect(try test.answer(request.utf8) { try helper.git("store", request: $0) } == .init(output: ""))
    }

    private func left() throws -> ItemAttributes.Expiry? { try test.store.attributes(of: Self.item)?.expiry }

    private static func after(_ seconds: Int64) -> ItemAttributes.Expiry {
        .after(KeyTimeLeft(atLeast: .seconds(seconds), precision: .seconds(1)))
    }

    @Test("storing the same secret with a shorter timeout shortens a longer timeout or sets one")
    func shortens() throws {
        try store(in: test.store, timeout: nil)
        #expect(try left() == .never)
        for seconds in [28_800, 3_600, 60] as [Int64] {
            try store(in: test.store, timeout: .seconds(seconds))
            #expect(try left() == Self.after(seconds))
        }
    }

    @Test("docker's login with the same secret and a shorter timeout shortens the timeout")
    func dockerShortens() throws {
        let item = ItemIdentity.internet(server: "ghcr.io", account: "me")
        for (timeout, expected) in [(nil, .never), (60, Self.after(60)), (3_600, Self.after(60))]
            as [(Int64?, ItemAttributes.Expiry)]
        {
            let helper = CredentialHelper(
                items: test.store, timeout: timeout.map { .seconds($0) }, clock: { HelperUnderTest.now })
            let answer = try test.answer(#"{"ServerURL":"ghcr.io","Username":"me","Secret":"s"}"#.utf8) {
                try helper.docker("store", request: $0, version: "1")
            }
            #expect(answer.exitCode == 0)
            #expect(try test.store.attributes(of: item)?.expiry == expected)
        }
    }

    @Test("storing the same secret with an equal, longer or no timeout does not renew the item")
    func renewsNothing() throws {
        try store(in: test.store, timeout: .seconds(3_600))
        for timeout in [Duration.seconds(3_600), .seconds(28_800), nil] {
            try store(in: test.store, timeout: timeout)
            #expect(try left() == Self.after(3_600))
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
        #expect(try left() == Self.after(28_800))
        try store(in: ShownItems(test.store, shown: .after(shown)), timeout: .seconds(7 * 3_600 - 1))
        #expect(try left() == Self.after(7 * 3_600 - 1))
    }

    @Test("storing the same secret without a timeout does not read timeouts")
    func storesWithoutLooking() throws {
        let items = ShownItems(test.store)
        let ending = Self.login + "password_expiry_utc=\(HelperUnderTest.now + 600)\n"
        for request in [Self.login, ending] {
            for _ in 1...2 { try store(in: items, timeout: nil, request) }
        }
        try store(in: items, timeout: .seconds(60), Self.login.replacing("password=p", with: "password=q"))
        #expect(items.looks == 0)
        #expect(try left() == Self.after(60))
    }
}
