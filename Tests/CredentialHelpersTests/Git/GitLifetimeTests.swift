import CredentialHelpers
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Testing
import Threads

/// A store whose time left is rounded down to hours and minutes, as in `/proc/keys`.
private struct RoundingItems: ForwardingItems {
    let store: SecretStore

    func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes? {
        guard let exact = try store.attributes(of: item) else { return nil }
        guard case .after(let left) = exact.expiry else { return exact }
        let seconds = left.atLeast.components.seconds
        let unit: Int64 = seconds < 60 ? 1 : seconds < 3_600 ? 60 : 3_600
        return ItemAttributes(
            item: item, size: exact.size,
            expiry: .after(KeyTimeLeft(atLeast: .seconds(seconds / unit * unit), precision: .seconds(unit))),
            serial: KeySerial(rawValue: 0), userID: 0, groupID: 0, permissions: .possessorAll)
    }

    func expire(_ item: ItemIdentity, timeout: Duration?) throws(SecretStoreError) -> Bool {
        try store.expire(item, timeout: timeout)
    }
}

@Suite("How long git's credentials live")
struct GitLifetimeTests {
    private static let host = "protocol=https\nhost=example.com\n"
    private static let alice = host + "username=alice\npassword=s3cret\n"
    private static let (bare, record) = (
        ItemIdentity.internet(server: "https://example.com", account: "alice"),
        ItemIdentity.credential(service: "https://example.com", account: "alice")
    )
    private static let hours = Duration.seconds(8 * 3_600)

    private let passed = Locked<Int64>(0)
    private let test: HelperUnderTest

    init() {
        let (passed, start) = (passed, ContinuousClock.now)
        test = HelperUnderTest(backend: InMemoryBackend(now: { start + .seconds(passed.withLock { $0 }) }))
    }

    private func pass(_ seconds: Int64) { passed.withLock { $0 += seconds } }

    private var now: Int64 { HelperUnderTest.now + passed.withLock { $0 } }

    /// The seconds until the item expires; `nil` if it never does.
    private func left(of item: ItemIdentity) throws -> Int64? {
        guard case .after(let left) = try test.expiry(of: item) else { return nil }
        return left.atLeast.components.seconds
    }

    @discardableResult
    private func git(_ operation: String, _ request: String = host, timeout: Duration? = hours) throws -> String {
        let passed = passed
        let helper = CredentialHelper(
            items: RoundingItems(store: test.store), timeout: timeout,
            clock: { HelperUnderTest.now + passed.withLock { $0 } })
        return try test.answer(request.utf8) { try helper.git(operation, request: $0) }.output
    }

    @Test("get states when a password ends, and storing that again neither renews nor shortens its time")
    func stated() throws {
        try git("store", Self.alice)
        let end = now + 8 * 3_600
        for seconds: Int64 in [0, 1, 1_799, 3_600, 1_861, 18_000, 3_000] {
            pass(seconds)
            let answer = try git("get")
            let stated = try #require(answer.split(separator: "=").last.flatMap { Int64($0.dropLast()) })
            #expect(answer == "username=alice\npassword=s3cret\npassword_expiry_utc=\(stated)\n")
            #expect(stated <= end && stated > end - 3_600 && stated > now)
            pass(2)
            try git("store", Self.host + answer)
            #expect(try test.stored == [Self.bare.keyDescription: "s3cret"])
            #expect(try left(of: Self.bare) == end - now)
        }
    }

    @Test("an expiry that a client got earlier, rounded down, doesn't shorten the item's time")
    func statedEarlier() throws {
        try git("store", Self.alice, timeout: .seconds(5_400))
        let answer = try git("get")
        #expect(answer.hasSuffix("password_expiry_utc=\(now + 3_600)\n"))
        pass(2_400)
        for timeout in [nil, Self.hours] {
            try git("store", Self.host + answer, timeout: timeout)
            #expect(try left(of: Self.bare) == 3_000)
        }
        try git("store", Self.host + answer, timeout: .seconds(60))
        #expect(try left(of: Self.bare) == 60)
    }

    @Test("for a record that ends before its password, get states that end, and storing it again changes nothing")
    func endsBeforePassword() throws {
        let fields = "password_expiry_utc=\(now + 9 * 3_600)\noauth_refresh_token=r\n"
        try git("store", Self.alice + fields)
        pass(600)
        let answer = try git("get")
        #expect(answer.contains("password_expiry_utc=\(now + 7 * 3_600)\n"))
        try git("store", Self.host + answer)
        #expect(try left(of: Self.record) == 8 * 3_600 - 600)
        let stored = try test.store.get(Self.record, as: String.self)
        #expect(stored?.contains("\(HelperUnderTest.now + 9 * 3_600)") == true)
    }

    @Test("a password that ends while git uses it is not stored again")
    func endsInUse() throws {
        try git("store", Self.alice)
        pass(8 * 3_600 - 1)
        let answer = try git("get")
        #expect(answer.contains("password=s3cret\npassword_expiry_utc="))
        pass(2)
        try git("store", Self.host + answer)
        #expect(try test.stored == [:])
    }

    @Test("an expiry of a stored password becomes its timeout unless it already has one", arguments: [nil, hours])
    func shortened(timeout: Duration?) throws {
        try git("store", Self.alice, timeout: timeout)
        try git("store", Self.alice + "password_expiry_utc=\(now + 60)\n", timeout: timeout)
        #expect(try test.stored == [Self.bare.keyDescription: "s3cret"])
        #expect(try left(of: Self.bare) == (timeout == nil ? 60 : 8 * 3_600))
    }

    @Test("a refresh token outlives its access token, after whose expiry get answers without it")
    func refreshToken() throws {
        let fields = "password_expiry_utc=\(now + 600)\noauth_refresh_token=r\n"
        try git("store", Self.alice + fields)
        #expect(try left(of: Self.record) == 8 * 3_600)
        pass(599)
        #expect(try git("get") == "username=alice\npassword=s3cret\n" + fields)
        // A git that doesn't know refresh tokens sends none back.
        try git("store", Self.alice + "password_expiry_utc=\(HelperUnderTest.now + 600)\n")
        #expect(try left(of: Self.record) == 8 * 3_600 - 599)
        pass(1)
        #expect(try git("get") == "username=alice\noauth_refresh_token=r\n")
        #expect(try git("get", Self.host + "username=bob\n") == "")
        try git("store", Self.alice.replacing("alice", with: "zoe"))
        #expect(try git("get").hasPrefix("username=zoe\npassword=s3cret\n"))
        try git("store", Self.alice.replacing("s3cret", with: "new") + "oauth_refresh_token=s\n")
        #expect(
            try git("get", Self.host + "username=alice\n") == "username=alice\npassword=new\noauth_refresh_token=s\n")
    }

    @Test("no other client gets the expired password of a record with a refresh token")
    func others() throws {
        try git("store", Self.alice + "password_expiry_utc=\(now + 600)\noauth_refresh_token=r\n")
        pass(600)
        let late = CredentialHelper(items: test.store, clock: { [now] in now })
        let found = try test.answer { _ in
            try late.keyringGet(service: "https://example.com", user: "alice", form: .passwordJSON)
        }
        #expect(found.output == "" && found.exitCode == 1)
    }

    @Test(
        "erase removes a refresh token unless another password was refused",
        arguments: [("", true), ("password=s3cret\n", true), ("password=other\n", false)])
    func erased(password: String, isErased: Bool) throws {
        try git("store", Self.alice + "password_expiry_utc=\(now + 600)\noauth_refresh_token=r\n")
        pass(600)
        try git("erase", Self.host + "username=alice\n" + password)
        #expect(try test.stored.isEmpty == isErased)
    }
}
