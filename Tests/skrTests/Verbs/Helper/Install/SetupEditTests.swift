import Foundation
import Testing

import skr

/// Edits the text of a configuration, without a file.
@Suite("Configurations, edited")
struct SetupEditTests {
    private static func bytes<Value>(
        _ text: String, _ body: (RawSpan) throws(SetupRefusal) -> Value
    ) throws(SetupRefusal) -> Value {
        try body(Array(text.utf8).span.bytes)
    }

    private static func edited(_ text: String, _ edit: TextEdit) -> String {
        edit.apply(to: Array(text.utf8).span.bytes).withBytes { bytes in
            bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }
    }

    @Test(
        "docker: install adds one member and keeps every other byte",
        arguments: [
            ("", #"{ "credsStore": "skr" }"#), ("{}", #"{"credsStore": "skr"}"#),
            ("{\n}\n", "{\n\t\"credsStore\": \"skr\"\n}\n"),
            (#"{"auths":{}}"#, #"{"credsStore": "skr","auths":{}}"#),
            (
                "{\r\n  \"b\" : [1e400, \"\\u00e9\"],\r\n  \"a\":null }",
                "{\r\n  \"credsStore\": \"skr\",\r\n  \"b\" : [1e400, \"\\u00e9\"],\r\n  \"a\":null }"
            ),
            (
                "\u{FEFF}{ \"x\": {\"credsStore\": \"pass\"} }\n",
                "\u{FEFF}{ \"credsStore\": \"skr\", \"x\": {\"credsStore\": \"pass\"} }\n"
            ),
        ])
    func docker(text: String, expected: String) throws {
        let changed = Self.edited(text, try #require(try Self.bytes(text, DockerSetup().edit)))
        #expect(changed == expected)
        #expect(try Self.bytes(changed, DockerSetup().edit) == nil, "a second edit changes nothing")
        guard case .text(let rest) = try Self.bytes(changed, DockerSetup().removal) else {
            Issue.record("there is nothing to remove")
            return
        }
        #expect(rest.text == text)
    }

    @Test(
        "docker: text that isn't an object, or names another helper, is refused",
        arguments: [
            "{", "[]", "null", "{}x", #"{"a":1,}"#, #"{"credsStore":"pass"}"#, #"{"CredsStore":"pass"}"#,
            #"{"credsStore":""}"#, #"{"credsStore":1}"#, #"{"credsStore":"skr","credsStore":"pass"}"#, "\u{0}", " ",
        ])
    func dockerRefused(text: String) {
        #expect(throws: SetupRefusal.self) { try Self.bytes(text, DockerSetup().edit) }
    }

    @Test(
        "docker: the refusal names the existing helper",
        arguments: [
            (#"{"credsStore":"pass"}"#, "the credsStore 'pass'"), (#"{"credsStore":""}"#, "an empty credsStore"),
        ])
    func dockerTaken(text: String, what: String) {
        do throws(SetupRefusal) {
            _ = try Self.bytes(text, DockerSetup().edit)
            Issue.record("it was not refused")
        } catch {
            guard case .taken(let named, _) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(named == what)
        }
    }

    @Test("docker: the member is found anywhere, and another helper's member is not removed")
    func dockerElsewhere() throws {
        let cases = [
            (#"{"a":1,"credsStore": "skr"}"#, #"{"a":1}"#),
            (#"{"a":1, "credsStore": "skr", "b":2}"#, #"{"a":1, "b":2}"#),
            ("{\n\t\"a\": 1,\n\t\"credsStore\": \"skr\"\n}", "{\n\t\"a\": 1\n}"),
        ]
        for (text, rest) in cases {
            guard case .text(let left) = try Self.bytes(text, DockerSetup().removal) else {
                Issue.record("\(text)")
                continue
            }
            #expect(left.text == rest)
        }
        for text in ["", "{}", #"{"credsStore":"pass"}"#, #"{"x":{"credsStore": "skr"}}"#] {
            #expect(try Self.bytes(text, DockerSetup().removal) == nil)
        }
        // The user wrote these.
        for text in [#"{"credsStore":"skr"}"#, #"{"CredsStore": "skr"}"#, #"{"a":1, "credsStore" : "skr"}"#, "{"] {
            #expect(throws: SetupRefusal.self) { try Self.bytes(text, DockerSetup().removal) }
        }
    }

    @Test("docker: servers with a secret in the file are found")
    func dockerRemarks() throws {
        let text =
            #"{"auths":{"a.example":{"auth":"eDp5"},"b.example":{},"c.example":{"auth":""},"d":{"identitytoken":"t"}},"credHelpers":{"e":"gcloud","f":"skr"}}"#
        #expect(DockerSetup.plainServers(in: Array(text.utf8).span.bytes) == ["a.example", "d"])
    }

    @Test(
        "git: install adds a section at the end and keeps every other byte",
        arguments: [
            ("", "@"), ("[user]\n\tname = x\n", "[user]\n\tname = x\n@\n"),
            ("[user]\n\tname = x", "[user]\n\tname = x\n@"),
            ("# c\r\n[user]\r\n", "# c\r\n[user]\r\n@\r\n"), ("\r\n\r", "\r\n\r\r\n@"), ("\n\r", "\n\r\n@"),
            ("\r", "\r\n@"),
            ("[credential]\n", "[credential]\n@\n"),
            ("[credential]\n\thelper = store", "[credential]\n\thelper = store\n@"),
            ("\n", "\n@\n"),
        ])
    func git(text: String, expected: String) throws {
        let newline = text.contains("\r\n") ? "\r\n" : "\n"
        let changed = Self.edited(text, GitLines.addition(of: "skr", to: Array(text.utf8).span.bytes))
        #expect(changed == expected.replacing("@", with: "[credential]\(newline)\thelper = skr"))
        guard case .text(let rest) = GitLines.removal(of: "skr", from: Array(changed.utf8).span.bytes) else {
            Issue.record("there is nothing to remove from \(changed.debugDescription)")
            return
        }
        #expect(rest.text == text)
    }

    @Test(
        "git: only our line is removed if the section has more, and only from our section",
        arguments: [
            ("[credential]\n\thelper = skr\n\tuseHttpPath = true\n", "[credential]\n\tuseHttpPath = true\n"),
            ("[credential]\n\tx = 1\n\thelper = skr\n", "[credential]\n\tx = 1\n"),
            // The remaining line is as long as the header.
            ("[credential]\n\tx = 1234567\n\thelper = skr\n", "[credential]\n\tx = 1234567\n"),
            ("\r\n[credential]\r\n\thelper = skr", ""),
            ("[credential]\n\thelper = skr\n\n[user]\n\tname = x\n", "\n[user]\n\tname = x\n"),
            ("[credential]\n # mine\n\thelper = skr\n", "[credential]\n # mine\n"),
            ("[credential]\n\thelper = skr\n # c\n[user]\n", " # c\n[user]\n"),
            ("[credential]\n\thelper = skr\n  \n  [user]\n", "  \n  [user]\n"),
            ("[credential]\n  [user]\n\thelper = skr\n", nil),
            ("[credential \"x\"]\n\thelper = skr\n", nil), ("[credential]\n\thelper = skr # mine\n", nil),
            ("[credential]\n  helper = skr\n", nil), ("\thelper = skr\n", nil),
        ])
    func gitShared(text: String, rest: String?) {
        guard case .text(let left) = GitLines.removal(of: "skr", from: Array(text.utf8).span.bytes) else {
            #expect(rest == nil)
            return
        }
        #expect(left.text == rest)
    }

    @Test("a new file is removed as a whole")
    func wholeFile() throws {
        guard case .wholeFile = GitLines.removal(of: "skr", from: Array(GitLines.newFile("skr").utf8).span.bytes),
            case .wholeFile = try Self.bytes("{ \"credsStore\": \"skr\" }\n", DockerSetup().removal)
        else {
            Issue.record("the file is not removed as a whole")
            return
        }
    }
}
