import CredentialHelpers
import SessionKeyring
import Testing

@Suite("Kubernetes' protocol")
struct KubernetesTests {
    private let test = HelperUnderTest()

    private static func answer(_ status: String, _ version: String = "v1") -> String {
        "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/\(version)\",\"status\":{\(status)}}\n"
    }

    private static func told(_ output: String) throws -> String {
        HelperUnderTest.told(output, in: try unsafe ExecCredential(asked: [UInt8]().span.bytes))
    }

    @Test(
        "the answer has the requested version, or v1 if the request does not name one",
        arguments: [
            ("", "v1"), (" ", "v1"), ("{", "v1"), ("[]", "v1"), ("{}", "v1"), (#"{"apiVersion":1}"#, "v1"),
            (#"{"apiVersion":"client.authentication.k8s.io/v1"}"#, "v1"),
            (
                #"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","spec":{"interactive":false}}"#,
                "v1beta1"
            ),
        ])
    func version(request: String, version: String) throws {
        try test.keep("tok", "k")
        #expect(try test.kubernetes("k", asked: request) == .init(output: Self.answer(#""token":"tok""#, version)))
    }

    @Test("an unknown version is an error that does not repeat it")
    func unknownVersion() throws {
        try test.keep("tok", "k")
        for version in ["client.authentication.k8s.io/v1alpha1", "v1", #"x\u001b[31m"#, ""] {
            let said = try test.kubernetes("k", asked: #"{"apiVersion":"\#(version)"}"#)
            #expect(said.output == "" && said.exitCode == 65)
            #expect(said.message?.contains("\u{1B}") == false)
        }
    }

    @Test("tokens are read in all forms, with their expiry")
    func tokens() throws {
        let end = HelperUnderTest.now + 900
        let ending = #","expirationTimestamp":"\#(HelperUnderTest.time(in: 900))""#
        for (output, status) in [
            ("tok\n", #""token":"tok""#), ("tok\r\n", #""token":"tok""#),
            ("{tok", #""token":"{tok""#), ("[1]", #""token":"[1]""#),
            (#"{"access_token":"tok","token":"no","expires_in":900}"#, #""token":"tok""# + ending),
            (#"{"access_token":null,"id_token":"","token":"tok","expires_in":"900"}"#, #""token":"tok""# + ending),
            (#"{"token":"tok","expiry":null,"expires":\#(end)}"#, #""token":"tok""# + ending),
            (#"{"token":"tok","expires_at":\#(end)000,"expires_in":5}"#, #""token":"tok""# + ending),
            (#"{"token":"tok","expires_at":\#(end).75}"#, #""token":"tok""# + ending),
            (
                Self.answer(#""token":"tok","expirationTimestamp":"\#(HelperUnderTest.time(in: 900))""#, "v1beta1"),
                #""token":"tok""# + ending
            ),
            (#"{"token":"tok","expires":1e300}"#, #""token":"tok","expirationTimestamp":"5138-11-16T09:46:40Z""#),
        ] {
            #expect(try Self.told(output) == Self.answer(status))
        }
        // Nobody knows when the token of an item was issued, so a lifetime in seconds is ignored.
        try test.keep(#"{"access_token":"tok","expires_in":900}"#, "k")
        #expect(try test.kubernetes("k").output == Self.answer(#""token":"tok""#))
    }

    @Test("a certificate and its key are passed on, together or not at all")
    func certificate() throws {
        let both = #""clientCertificateData":"C\n","clientKeyData":"K""#
        #expect(try Self.told("{\"status\":{\(both)}}") == Self.answer(both))
        #expect(try Self.told("{\"status\":{\(both),\"token\":\"t\"}}") == Self.answer("\"token\":\"t\",\(both)"))
        let half = #"{"status":{"clientCertificateData":"C","token":"t"}}"#
        #expect(try Self.told(half) == Self.answer(#""token":"t""#))
        #expect(
            try Self.told(#"{"status":{"clientCertificateData":"s3"}}"#).hasPrefix("it has no token (put it in"))
    }

    @Test("an answer can be read again, and gives the same answer")
    func again() throws {
        let answer = try Self.told(#"{"access_token":"a\"b","expires_in":900}"#)
        #expect(try Self.told(answer) == answer)
    }

    @Test("a missing or expired item is not found")
    func missing() throws {
        #expect(HelperUnderTest.code { _ = try test.kubernetes("k") } == .notFound)
        try test.keep("tok", until: HelperUnderTest.now + 900, "k")
        let ending = #","expirationTimestamp":"\#(HelperUnderTest.time(in: 900))""#
        #expect(try test.kubernetes("k").output == Self.answer(#""token":"tok""# + ending))
        try test.keep("tok", until: HelperUnderTest.now, "k")
        #expect(HelperUnderTest.code { _ = try test.kubernetes("k") } == .notFound)
        try test.keep(#"{"token":"tok","expiry":"1999-01-01T00:00:00Z"}"#, "j")
        #expect(HelperUnderTest.code { _ = try test.kubernetes("j") } == .notFound)
        try test.keep("\n", "empty")
        #expect(try test.kubernetes("empty").exitCode == 65)
    }
}
