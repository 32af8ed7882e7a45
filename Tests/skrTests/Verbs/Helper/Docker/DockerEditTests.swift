import Keyutils
import Testing

import skr

/// Edits the text of docker's configuration, without a file.
@Suite("docker's configuration, edited")
struct DockerEditTests {
    private static func edited(
        _ text: String, _ edit: (RawSpan) throws(SetupRefusal) -> SecretBytes
    ) throws(SetupRefusal) -> String {
        try edit(Array(text.utf8).span.bytes).withBytes { bytes in
            bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }
    }

    @Test(
        "install adds one member, keeps every other byte, and uninstall restores the text",
        arguments: [
            ("{}", #"{"credsStore": "skr"}"#), ("{ }\n", "{\"credsStore\": \"skr\" }\n"),
            (#"{"auths":{}}"#, #"{"credsStore": "skr","auths":{}}"#),
            (
                "{\r\n  \"b\" : [1e400, \"\\u00e9\"],\r\n  \"a\":null }",
                "{\r\n  \"credsStore\": \"skr\",\r\n  \"b\" : [1e400, \"\\u00e9\"],\r\n  \"a\":null }"
            ),
            (
                #"{ "x": {"credsStore": "pass"}, "credHelpers": {"r": "skr"} }"#,
                #"{ "credsStore": "skr", "x": {"credsStore": "pass"}, "credHelpers": {"r": "skr"} }"#
            ),
        ])
    func adding(text: String, expected: String) throws {
        let changed = try Self.edited(text, DockerSetup.adding)
        #expect(changed == expected)
        #expect(try Self.edited(changed, DockerSetup.removing) == text)
    }

    @Test(
        "text that isn't an object, or names a helper, is refused",
        arguments: [
            "", "{", "[]", "null", "{}x", #"{"a":1,}"#, #"{"credsStore":"pass"}"#, #"{"CredsStore":"pass"}"#,
            #"{"credHelpers":{"r":"pass"}}"#, #"{"credHelpers":[]}"#, "\u{FEFF}{}",
            #"{"credsStore":1}"#, #"{"credsStore":"skr","credsStore":"pass"}"#, "\u{0}", " ",
            #"{"credsStore":"skr"}"#,
        ])
    func refused(text: String) {
        #expect(throws: SetupRefusal.self) { try Self.edited(text, DockerSetup.adding) }
    }

    @Test("an empty name of a helper is replaced")
    func empty() throws {
        #expect(try Self.edited(#"{"a":1,"CredsStore" : ""}"#, DockerSetup.adding) == #"{"a":1,"credsStore": "skr"}"#)
    }

    @Test(
        "our member is removed wherever it is, and another helper's member is not",
        arguments: [
            (#"{"a":1,"credsStore": "skr"}"#, #"{"a":1}"#),
            (#"{"a":1, "CredsStore" : "skr", "b":2}"#, #"{"a":1, "b":2}"#),
            ("{\n\t\"a\": 1,\n\t\"credsStore\": \"skr\"\n}", "{\n\t\"a\": 1\n}"),
            (#"{"credsStore":"skr", "a":1}"#, #"{"a":1}"#), ("{}", nil), (#"{"credsStore":"pass"}"#, nil),
            (#"{"x":{"credsStore": "skr"}}"#, nil), ("{", nil),
        ])
    func removing(text: String, rest: String?) {
        #expect((try? Self.edited(text, DockerSetup.removing)) == rest)
    }

    @Test("servers with a secret in the file are found")
    func plainServers() throws {
        let text =
            #"{"auths":{"a.example":{"auth":"eDp5"},"b.example":{},"c.example":{"auth":""},"d":{"identitytoken":"t"}},"credHelpers":{"e":"gcloud","f":"skr"}}"#
        #expect(DockerSetup.plainServers(in: Array(text.utf8).span.bytes) == ["a.example", "d"])
    }
}
