import CommandSupport
import Testing

import Threads
import skr

@Suite("References")
struct SecretReferenceTests {
    @Test(
        "references as people write them are read",
        arguments: [
            ("skr://api", SecretReference(service: "api")),
            ("skr://db/alice", SecretReference(service: "db", account: "alice")),
            ("skr://db/alice?field=a.0.b", SecretReference(service: "db", account: "alice", field: "a.0.b")),
            ("skr://api?field=x", SecretReference(service: "api", field: "x")),
            ("skr://a%2Fb/c%3F%23%25%20", SecretReference(service: "a/b", account: "c?#% ")),
            ("skr://host:443/me@example.com", SecretReference(service: "host:443", account: "me@example.com")),
            ("skr://%c3%A9", SecretReference(service: "\u{E9}")),
            ("skr://é", SecretReference(service: "é")),
            ("skr://a+b", SecretReference(service: "a+b")),
            ("skr://a?field=b?c/d=e", SecretReference(service: "a", field: "b?c/d=e")),
            ("skr://a?field=b%26field=c", SecretReference(service: "a", field: "b&field=c")),
            ("skr://%00", SecretReference(service: "\0")),
        ]
    )
    func good(text: String, expected: SecretReference) throws {
        let reference = try SecretReference(parsing: text)
        #expect(reference == expected)
        // Two spellings of a letter are equal as strings, but they are different names.
        #expect(reference.service.utf8.elementsEqual(expected.service.utf8))
    }

    @Test(
        "anything else is an error that describes the problem",
        arguments: [
            ("", .notReference), ("api", .notReference), ("SKR://api", .notReference), ("skr:/api", .notReference),
            (" skr://api", .notReference), ("skr:", .notReference),
            ("skr://", .emptyService), ("skr:///me", .emptyService), ("skr://?field=a", .emptyService),
            ("skr://api/", .emptyAccount), ("skr://api/?field=a", .emptyAccount),
            ("skr://a/b/c", .tooManySlashes), ("skr://a//", .tooManySlashes), ("skr:////", .emptyService),
            ("skr://a%", .badEscape), ("skr://a%2", .badEscape), ("skr://a%zz", .badEscape), ("skr://%+1", .badEscape),
            ("skr://a/%G0", .badEscape), ("skr://a?field=%", .badEscape), ("skr://a%%", .badEscape),
            ("skr://%ff", .notUTF8), ("skr://a/%C3", .notUTF8), ("skr://%ED%A0%80", .notUTF8),
            ("skr://%C0%AF", .notUTF8),
            ("skr://a b", .forbiddenCharacter), ("skr://a\n", .forbiddenCharacter),
            ("skr://\u{7F}", .forbiddenCharacter),
            ("skr://a\0", .forbiddenCharacter), ("skr://a#b", .fragment), ("skr://a?field=b#", .fragment),
            ("skr://a?", .unknownQuery), ("skr://a?x=y", .unknownQuery), ("skr://a?Field=y", .unknownQuery),
            ("skr://a?field", .unknownQuery), ("skr://a?field=b&x=y", .unknownQuery),
            ("skr://a?field=b&", .unknownQuery),
            ("skr://a?field=", .emptyField), ("skr://a?field=b&field=c", .duplicateField),
            ("skr://a?field=b&field=b", .duplicateField),
        ] as [(String, InputProblem)]
    )
    func bad(text: String, problem: InputProblem) {
        #expect(throws: problem) { try SecretReference(parsing: text) }
    }

    @Test("bytes that aren't UTF-8 are refused, and random bytes never trap")
    func hostileBytes() {
        let start = Array("skr://".utf8)
        #expect(throws: InputProblem.notUTF8) { try SecretReference(parsing: (start + [0xFF])[...]) }
        let alphabet = Array("skr:/?&#%=fieldaF09. \0".utf8) + [0xC3, 0xA9, 0xFF]
        print("seed \(testSeed)")
        var random = Choices(seed: testSeed)
        var good = 0
        for _ in 0..<20_000 {
            let tail = (0..<Int.random(in: 0...12, using: &random)).compactMap { _ in
                alphabet.randomElement(using: &random)
            }
            guard let reference = try? SecretReference(parsing: (start + tail)[...]) else { continue }
            good += 1
            #expect(!reference.service.isEmpty && reference.account != "" && reference.field != "")
        }
        #expect(good > 100)
    }
}

@Suite("Templates")
struct TemplateTests {
    private func pieces(_ text: String) throws -> [Template.Piece] {
        try Template(parsing: Array(text.utf8), name: "t").pieces
    }

    @Test("references are found with and without blanks, and next to each other")
    func references() throws {
        let api = Template.Piece.reference(SecretReference(service: "api"))
        #expect(try pieces("{{ skr://api }}") == [api])
        #expect(try pieces("{{skr://api}}{{\tskr://api\t }}") == [api, api])
        #expect(try pieces("a{{ skr://api }}b") == [.text(0..<1), api, .text(16..<17)])
        // Of three braces the inner two count.
        #expect(try pieces("{{{ skr://api }}}") == [.text(0..<1), api, .text(16..<17)])
    }

    @Test("as in Go's templates, {{- and -}} remove the white space on their side")
    func trimming() throws {
        let api = Template.Piece.reference(SecretReference(service: "api"))
        #expect(try pieces("a \r\n\t{{- skr://api }} \nb") == [.text(0..<1), api, .text(21..<24)])
        #expect(try pieces("a \n{{ skr://api -}} \r\n\t b") == [.text(0..<3), api, .text(24..<25)])
        #expect(try pieces("a\n{{- skr://api -}}\nb") == [.text(0..<1), api, .text(20..<21)])
        #expect(try pieces(" \n{{- skr://api -}} {{-skr://api\t-}}\n ") == [api, api])
        #expect(try pieces(" {{ skr://api }}{{- skr://api }}") == [.text(0..<1), api, api])
        // A name can end with a dash.
        #expect(try pieces("{{- skr://api-}} x") == [.reference(SecretReference(service: "api-")), .text(16..<18)])
    }

    @Test(
        "other braces are text",
        arguments: [
            "", "{", "{{", "}}", "{{ }}", "{{ name }}", "{{ 'skr://api' }}", "{ { skr://api } }", "skr://api",
            "{{\nskr://api }}", "{{{{{{", " {{- name -}} ", "{{ - skr://api }}", "{{-", "{{ api }}", "{{ SKR:/api }}",
            "{{ skra }}",
        ]
    )
    func text(text: String) throws {
        #expect(try pieces(text) == (text.isEmpty ? [] : [.text(0..<text.utf8.count)]))
    }

    @Test(
        "a reference that isn't closed or isn't valid is an error with its line",
        arguments: [
            ("x\n{{ skr://api", 2), ("{{ skr://api }\n}}", 1), ("\n\n{{ skr://a b }}", 3), ("{{ skr:// }}", 1),
            ("{{skr://api}", 1), ("{{ skr://a/b/c }}", 1), ("{{ skr://api\n }}", 1), ("\n{{ skr:/api }}", 2),
            ("{{skr:api}}", 1), ("a\n\n {{- skr:/api -}}", 3),
            ("{{ skr: }}", 1), ("{{ skr://api - }}", 1), ("{{ skr://api -- }}", 1),
        ]
    )
    func bad(text: String, line: Int) throws {
        let error = #expect(throws: CommandError.self) { try pieces(text) }
        #expect(error?.exitCode == .data)
        #expect(error?.message.hasPrefix("t:\(line): ") == true)
    }
}
