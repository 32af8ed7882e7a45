import CredentialHelpers
import Foundation
import Testing

import skr

/// What setting a client up changes in a text, without a file.
@Suite("Configurations, edited")
struct SetupEditTests {
    private typealias Edit = (String) throws(SetupRefusal) -> TextEdit?
    private typealias Removal = (String) throws(SetupRefusal) -> AppendedLines.Removal?

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

    /// The text with our part, once it is known that the way back leads to the same text.
    private func thereAndBack(_ text: String, _ edit: Edit, _ removal: Removal) throws -> String? {
        guard let change = try edit(text) else { return nil }
        let changed = Self.edited(text, change)
        #expect(try edit(changed) == nil, "twice is once")
        guard case .edit(let undo) = try removal(changed) else {
            Issue.record("nothing to take away from \(changed.debugDescription)")
            return changed
        }
        #expect(Self.edited(changed, undo) == text)
        return changed
    }

    @Test(
        "docker: one member more, and each other byte as it was",
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
        let changed = try thereAndBack(
            text, { text throws(SetupRefusal) in try Self.bytes(text, DockerSetup().edit) },
            { text throws(SetupRefusal) in try Self.bytes(text, DockerSetup().removal) })
        #expect(changed == expected)
    }

    @Test(
        "docker: what is no object, or names another helper, is left alone",
        arguments: [
            "{", "[]", "null", "{}x", #"{"a":1,}"#, #"{"credsStore":"pass"}"#, #"{"CredsStore":"pass"}"#,
            #"{"credsStore":1}"#, #"{"credsStore":"skr","credsStore":"pass"}"#, "\u{0}", " ",
        ])
    func dockerRefused(text: String) {
        #expect(throws: SetupRefusal.self) { try Self.bytes(text, DockerSetup().edit) }
    }

    @Test("docker: the member is found wherever docker has put it, and one of another helper is not taken away")
    func dockerElsewhere() throws {
        let cases = [
            (#"{"a":1,"credsStore":"skr"}"#, #"{"a":1}"#),
            (#"{"a":1, "credsStore" : "skr", "b":2}"#, #"{"a":1, "b":2}"#),
            ("{\n\t\"a\": 1,\n\t\"credsStore\": \"skr\"\n}", "{\n\t\"a\": 1\n}"),
        ]
        for (text, rest) in cases {
            guard case .edit(let undo) = try Self.bytes(text, DockerSetup().removal) else {
                Issue.record("\(text)")
                continue
            }
            #expect(Self.edited(text, undo) == rest)
        }
        for text in ["", "{}", #"{"credsStore":"pass"}"#, #"{"x":{"credsStore":"skr"}}"#] {
            #expect(try Self.bytes(text, DockerSetup().removal) == nil)
        }
    }

    @Test("docker: which servers have a secret in the file, and which a helper of their own")
    func dockerRemarks() throws {
        let text =
            #"{"auths":{"a.example":{"auth":"eDp5"},"b.example":{},"c.example":{"auth":""},"d":{"identitytoken":"t"}},"credHelpers":{"e":"gcloud","f":"skr"}}"#
        #expect(DockerSetup.plainServers(in: Array(text.utf8).span.bytes) == ["a.example", "d"])
        #expect(DockerSetup.ownHelpers(in: Array(text.utf8).span.bytes) == ["e"])
    }

    private static let registry = #"[registry]#global-credential-providers = ["cargo-credential-skr"]"#

    @Test(
        "cargo: a table at the end, and each other byte as it was",
        arguments: [
            ("", "@"), ("[build]\njobs = 2\n", "[build]\njobs = 2\n@\n"), ("[build]\njobs = 2", "[build]\njobs = 2\n@"),
            ("# c\r\n[net]\r\nretry = 3\r\n", "# c\r\n[net]\r\nretry = 3\r\n@\r\n"),
            ("a = 'x # y'\r\nb = [\r\n 1,\r\n]", "a = 'x # y'\r\nb = [\r\n 1,\r\n]\r\n@"), ("\n", "\n@\n"),
            (
                "[registries.mine]\nindex = \"sparse+https://x/\"\n",
                "[registries.mine]\nindex = \"sparse+https://x/\"\n@\n"
            ),
            ("[[a]]\nx.'y z' = {b = \"c\\\"d\"} # e\n", "[[a]]\nx.'y z' = {b = \"c\\\"d\"} # e\n@\n"),
        ])
    func cargo(text: String, expected: String) throws {
        let newline = text.contains("\r\n") ? "\r\n" : "\n"
        let changed = try thereAndBack(
            text, { text throws(SetupRefusal) in try Self.bytes(text, CargoSetup().edit) },
            { text throws(SetupRefusal) in try Self.bytes(text, CargoSetup().removal) })
        #expect(changed == expected.replacing("@", with: Self.registry.replacing("#", with: newline)))
    }

    @Test(
        "cargo: what is not understood for certain, or has a registry already, is left alone",
        arguments: [
            "[registry]\ndefault = 'x'\n", "registry.default = 'x'\n", "'registry' = {}\n",
            "[registry.x]\n[registry]\n[registry]\n",
            "[build\n", "x\n", "x =\n", "= 1\n", "a = \"\"\"\n[registry]\n\"\"\"\n", "a = '''x'''\n", "a = \"x\n",
            "a = [1\n",
            "a = 1\rb = 2\n", "a = {\n}\n", "\u{0}", "\u{FEFF}a = 1\n", "]\n", "[a] x\n", "\"re\\u0067istry\" = 1\n",
            "a = <x>\n",
        ])
    func cargoRefused(text: String) {
        #expect(throws: SetupRefusal.self) { try Self.bytes(text, CargoSetup().edit) }
    }

    @Test("cargo: only our line goes where the table has others")
    func cargoShared() throws {
        let text = "[registry]\ndefault = 'x'\nglobal-credential-providers = [\"cargo-credential-skr\"]\n"
        #expect(try Self.bytes(text, CargoSetup().edit) == nil)
        guard case .edit(let undo) = try Self.bytes(text, CargoSetup().removal) else {
            Issue.record("nothing to take away")
            return
        }
        #expect(Self.edited(text, undo) == "[registry]\ndefault = 'x'\n")
    }

    @Test(
        "cargo: a line that names the user's other providers too is left to the user",
        arguments: [
            #"["cargo:token", "cargo:libsecret", "cargo-credential-skr"]"#, #"["cargo-credential-skr", "cargo:token"]"#,
            #"["cargo-credential-skr --timeout 8h"]"#,
        ])
    func cargoOthers(providers: String) throws {
        let text = "[registry]\nglobal-credential-providers = \(providers)\n"
        #expect(try Self.bytes(text, CargoSetup().edit) == nil)
        #expect(throws: SetupRefusal.self) { try Self.bytes(text, CargoSetup().removal) }
    }

    @Test(
        "cargo: lines that end in several ways lose ours, and no byte more",
        arguments: [
            ("[net]\r\nretry = 12\n[registry]\n@", "[net]\r\nretry = 12"),
            ("[net]\nretry = 12\r\n[registry]\r\n@", "[net]\nretry = 12"),
            ("[net]\r\nretry = 12\n[registry]\n@\n[x]\r\n", "[net]\r\nretry = 12\n[x]\r\n"),
            ("[net]\nretry = 12\n[registry]\n@\r\n[x]", "[net]\nretry = 12\n[x]"), ("\n[registry]\n@", ""),
        ])
    func cargoLineEnds(text: String, rest: String) throws {
        let text = text.replacing("@", with: #"global-credential-providers = ["cargo-credential-skr"]"#)
        guard case .edit(let undo) = try Self.bytes(text, CargoSetup().removal) else {
            Issue.record("nothing to take away")
            return
        }
        #expect(Self.edited(text, undo) == rest)
    }

    @Test(
        "terraform and vault: a line at the end, and each other byte as it was",
        arguments: [
            ("", "@"), ("plugin_cache_dir = \"/x\"\n", "plugin_cache_dir = \"/x\"\n@\n"),
            ("# c\r\n// d\r\n/* \r\n */", "# c\r\n// d\r\n/* \r\n */\r\n@"),
            ("credentials \"a.example\" {\n  token = \"x\"\n}", "credentials \"a.example\" {\n  token = \"x\"\n}\n@"),
        ])
    func hcl(text: String, expected: String) throws {
        let terraform = try thereAndBack(
            text,
            { text throws(SetupRefusal) in
                try Self.bytes(text) { bytes throws(SetupRefusal) in
                    try TerraformSetup.statement.edit(bytes, line: #"credentials_helper "skr" {}"#)
                }
            }, { text throws(SetupRefusal) in try Self.bytes(text, TerraformSetup.statement.removal) })
        #expect(terraform == expected.replacing("@", with: #"credentials_helper "skr" {}"#))
        let vault = try thereAndBack(
            text,
            { text throws(SetupRefusal) in
                try Self.bytes(text) { bytes throws(SetupRefusal) in
                    try VaultSetup.statement.edit(bytes, line: #"token_helper = "/x/skr-vault""#)
                }
            }, { text throws(SetupRefusal) in try Self.bytes(text, VaultSetup.statement.removal) })
        #expect(vault == expected.replacing("@", with: #"token_helper = "/x/skr-vault""#))
    }

    @Test(
        "terraform: what is not understood for certain, or names another helper, is left alone",
        arguments: [
            "credentials_helper \"other\" {}\n", "x = <<E\ncredentials_helper\nE\n", "a {\n", "}\n", "/* x",
            "x = \"${y}\"\n",
            "x = 'y'\n", "x = \"y\n", "{\"credentials_helper\": {}}", "credentials_helper {}\n", "x\n", "\u{0}",
            "credentials_helper \"skr\" {}\ncredentials_helper \"skr\" {}\n",
        ])
    func hclRefused(text: String) {
        #expect(throws: SetupRefusal.self) {
            try Self.bytes(text) { bytes throws(SetupRefusal) in try TerraformSetup.statement.edit(bytes, line: "x") }
        }
    }

    @Test("a new file goes away again as a whole")
    func wholeFile() throws {
        let files = ["[registry]\nglobal-credential-providers = [\"cargo-credential-skr\"]\n"]
        for text in files { #expect(try Self.bytes(text, CargoSetup().removal) == .wholeFile) }
        #expect(try Self.bytes("credentials_helper \"skr\" {}\n", TerraformSetup.statement.removal) == .wholeFile)
        #expect(try Self.bytes("{ \"credsStore\": \"skr\" }\n", DockerSetup().removal) == .wholeFile)
    }
}
