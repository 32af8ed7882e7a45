import CredentialHelpers
import SessionKeyring
import Testing

@Suite("AWS's protocol")
struct AWSTests {
    private let test = HelperUnderTest()

    private static let answer =
        #"{"Version":1,"AccessKeyId":"AK","SecretAccessKey":"a/+\"b","SessionToken":"t","Expiration":"2031-01-02T02:04:05Z"}"#
        + "\n"

    @Test(
        "three forms of input, with different dates, are understood and give the same answer",
        arguments: [
            answer,
            #"{"Expiration":"2031-01-02T03:04:05.9+01:00","AccessKeyId":"AK","SecretAccessKey":"a/+\"b","SessionToken":"t"}"#,
            #"{"Expiration":"2031-01-02T02:04:05UTC","AccessKeyId":"AK","SecretAccessKey":"a/+\"b","SessionToken":"t"}"#,
            "\u{FEFF} {\"Credentials\":{\"AccessKeyId\":\"AK\",\"SecretAccessKey\":\"a/+\\u0022b\",\r\n"
                + #""SessionToken":"t","Expiration":"2031-01-02T02:04:05+00:00"},"AssumedRoleUser":{"Arn":"x"}}"#,
            #"{"roleCredentials":{"accessKeyId":"AK","secretAccessKey":"a/+\"b","sessionToken":"t","expiration":1925085845999}}"#,
            #"{"Version":1,"AccessKeyId":"AK","SecretAccessKey":"a/+\"b","SessionToken":"t","Expiration":"1925085845"}"#,
        ])
    func forms(payload: String) throws {
        try test.keep(payload, "prod")
        #expect(try test.aws("prod") == .init(output: Self.answer))
        #expect(HelperUnderTest.told(payload, in: AWSCredentials()) == Self.answer)
    }

    @Test("an expiry above 100,000,000,000 is in milliseconds")
    func largeNumbers() {
        func expiration(_ number: String) -> String {
            let payload = #"{"AccessKeyId":"AK","SecretAccessKey":"s","Expiration":\#(number)}"#
            return HelperUnderTest.told(payload, in: AWSCredentials())
        }
        #expect(expiration("100000000000").contains(#""Expiration":"5138-11-16T09:46:40Z""#))
        #expect(expiration("100000000001").contains(#""Expiration":"1973-03-03T09:46:40Z""#))
    }

    @Test("absent fields are left out of the answer, and the account ID is passed on")
    func optional() throws {
        try test.keep(#"{"AccessKeyId":"AK","SecretAccessKey":"s","SessionToken":null,"Expiration":""}"#, "a")
        #expect(try test.aws("a").output == "{\"Version\":1,\"AccessKeyId\":\"AK\",\"SecretAccessKey\":\"s\"}\n")
        try test.keep(#"{"AccessKeyId":"AK","SecretAccessKey":"s","AccountId":"123","Other":[1]}"#, "b", "me")
        let answer = #"{"Version":1,"AccessKeyId":"AK","SecretAccessKey":"s","AccountId":"123"}"# + "\n"
        #expect(try test.aws("b").output == answer)
        #expect(try test.aws("b", "me").output == answer)
        // A record of the kind `credential` has its expiry next to the secret.
        try test.store.set(
            #"{"secret":"{\"AccessKeyId\":\"AK\",\"SecretAccessKey\":\"s\"}","expires":1925085845}"#,
            for: .credential(service: "c", account: ""))
        #expect(try test.aws("c").output.hasSuffix(#","Expiration":"2031-01-02T02:04:05Z"}"# + "\n"))
    }

    @Test(
        "a payload without credentials is refused, and the message shows none of it",
        arguments: [
            "s3cret", "", "[]", #"{"AccessKeyId":"s3cret"}"#, #"{"AccessKeyId":"","SecretAccessKey":"s3cret"}"#,
            #"{"AccessKeyId":1,"SecretAccessKey":"s3cret"}"#, #"{"AccessKeyId":"s3cret","SecretAccessKey":"\ud800"}"#,
            #"{"AccessKeyId":"a","SecretAccessKey":"s3cret""#,
            #"{"AccessKeyId":"a","SecretAccessKey":"s3cret","Expiration":"s3cret"}"#,
            #"{"AccessKeyId":"a","SecretAccessKey":"s3cret","Expiration":true}"#,
            #"{"AccessKeyId":"a","SecretAccessKey":"s3cret","Expiration":1e999}"#,
        ])
    func refused(payload: String) throws {
        try test.keep(payload, "prod")
        let said = try test.aws("prod")
        #expect(said.output == "" && said.exitCode == 65)
        let message = try #require(said.message)
        #expect(!message.contains("s3cret") && !message.contains("\n"))
    }

    @Test("a missing, deleted, expired or ambiguous item is an error of the store")
    func missing() throws {
        #expect(HelperUnderTest.code { _ = try test.aws("prod") } == .notFound)
        try test.keep(Self.answer, "prod", "a")
        let error = #expect(throws: SecretStoreError.self) { try test.aws("prod", "b") }
        #expect(error?.code == .notFound && error?.item == .password(service: "prod", account: "b"))
        try test.keep(Self.answer, "prod", "b")
        #expect(HelperUnderTest.code { _ = try test.aws("prod") } == .ambiguous(accounts: ["a", "b"]))
        try test.store.delete(.password(service: "prod", account: "a"))
        #expect(try test.aws("prod").output == Self.answer)
        for (end, isThere) in [(0, false), (1, true)] as [(Int64, Bool)] {
            let text = Self.answer.replacing("2031-01-02T02:04:05Z", with: HelperUnderTest.time(in: end))
            try test.keep(text, "prod", "b")
            #expect((HelperUnderTest.code { _ = try test.aws("prod") } == .notFound) != isThere)
        }
    }
}
