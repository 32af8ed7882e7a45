import CommandSupport
import Foundation
import Testing
import Threads

import skr

/// Returns whether a terminal would act on it: C0 except the newline, C1, and marks for the writing direction.
private func isRaw(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0A: false
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xE0001...0xE007F:
        true
    default: false
    }
}

/// An escape, a C1 control, a bidi override, a line separator, a tag beyond 16 bits, and other control characters.
private let hostile = "x\u{1B}[31m\u{9B}2J\u{202E}evil\u{2028}\u{E0041}\u{7F}\r\u{85}\ty"

@Suite("No raw control characters on a terminal")
struct PlainOutputTests {
    @Test(
        "errors escape words of the command line, environment and parser, each on its own line",
        arguments: [
            ["get", "api", "me", hostile], ["get", hostile], [hostile], ["help", hostile], ["get", "--\(hostile)"],
            ["get", "api", "--scope", hostile], ["get", "api", "--scope=\(hostile)"],
            ["set", "api", "--timeout", hostile],
            ["set", "api", "--timeout=\(hostile)"], ["list", hostile, hostile], ["exec", "--env", hostile, "--", "x"],
            ["exec", "--env", "A=skr://\(hostile)", "--", "x"], ["exec", "--", hostile],
            ["exec", "--env-file", hostile, "--", "x"],
            ["inject", "-i", hostile], ["inject", "-o", "/no/\(hostile)"], ["lock", hostile, hostile],
            ["doctor", hostile],
            ["cached", "a", "--timeout-from-json", ".\(hostile)", "--", "echo", "{}"], ["completions", hostile],
            ["manual", hostile], ["session", "--name", hostile], ["expire", hostile, "--timeout", "1s"],
        ])
    func errors(words: [String]) throws {
        let outcome = try CommandRunner().shell(
            #"exec keyctl session - skr "$@" < /dev/null 2> >(grep -v "^Joined session" >&2)"#, words: words)
        #expect(outcome.exitCode != 0)
        #expect(!outcome.errors.unicodeScalars.contains(where: isRaw), "\(outcome.errors.debugDescription)")
        #expect(!outcome.output.unicodeScalars.contains(where: isRaw))
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count <= 3 && lines.first?.hasPrefix("skr: error: ") == true)
    }

    @Test("errors escape the values of variables", arguments: ["SKR_SCOPE", "SKR_NAMESPACE"])
    func variables(name: String) throws {
        let value = name == "SKR_SCOPE" ? hostile : String(repeating: hostile, count: 200)
        for words in [["get", "api"], ["list"], ["doctor"], ["lock", "a", "--", "true"]] {
            let outcome = try CommandRunner().run(words, input: Data(), environment: [name: value])
            #expect(!outcome.errors.unicodeScalars.contains(where: isRaw), "\(words)")
            #expect(!outcome.output.unicodeScalars.contains(where: isRaw), "\(words)")
        }
    }

    @Test("list --json shows control characters as JSON escapes, and list percent-encodes them")
    func list() throws {
        let outcome = try CommandRunner().inSession(
            #"printf 1 | skr set "$NAME" "$NAME"; skr list --json; echo; skr list; skr get "$NAME""#,
            environment: ["NAME": hostile])
        #expect(outcome.exitCode == 0)
        #expect(!outcome.output.unicodeScalars.contains { isRaw($0) && $0 != "\t" })
        let split = try #require(outcome.output.range(of: "\n]\n"))
        let json = try JSONSerialization.jsonObject(with: Data(outcome.output[..<split.upperBound].utf8))
        let item = try #require((json as? [[String: Any]])?.first)
        #expect((item["service"] as? String)?.unicodeScalars.elementsEqual(hostile.unicodeScalars) == true)
        #expect(outcome.output.contains(#"\u001b[31m\u009B2J\u202Eevil\u2028\uDB40\uDC41\u007F\r\u0085\ty"#))
        #expect(outcome.output.contains("x%1B[31m%C2%9B2J%E2%80%AEevil%E2%80%A8%F3%A0%81%81%7F%0D%C2%85%09y"))
    }

    @Test("the doctor escapes other programs' names, on the screen and in JSON")
    func doctor() throws {
        let outcome = try CommandRunner().shell(
            #"""
            name=$'skr-test\x1b[31m\xc2\x9b2J\xe2\x80\xaeevil'
            keyctl session "$name" skr doctor 2> /dev/null; keyctl session "$name" skr doctor --json 2> /dev/null
            """#)
        #expect(outcome.output.contains("skr-test%1B[31m%C2%9B2J%E2%80%AEevil"))
        #expect(outcome.output.contains(#"skr-test\u001b[31m\u009B2J\u202Eevil"#))
        #expect(!outcome.output.unicodeScalars.contains(where: isRaw))
    }

    @Test("a shell reads from a quoted word exactly the word, or refuses it, and never runs a part")
    func words() throws {
        print("SKR_TEST_SEED=\(testSeed)")
        var choices = Choices(seed: testSeed)
        let pieces = [
            "'", "\\", "\\'", "'\u{301}", "\\\u{301}", "; touch ran; ", "\u{3042}", "\u{E9}", "a", " ", "\u{1B}", "!",
            "$x", "",
        ]
        let words = (0..<400).map { _ in
            (0..<Int.random(in: 1...6, using: &choices)).map { _ in pieces.randomElement(using: &choices)! }.joined()
        }
        let escaped = words.filter { Display.shellWord($0).hasPrefix("$") }
        for (shells, words) in [("bash zsh", words), ("dash fish", words.filter { !escaped.contains($0) })] {
            let script = words.map { "printf '%s\\0' \(Display.shellWord($0))\n" }.joined()
            let outcome = try CommandRunner().shell(
                #"""
                cd $(mktemp -d); export HOME=$PWD LC_ALL=C.UTF-8; printf %s "$SCRIPT" >script; printf %s "$ESCAPED" >escaped
                for shell in \#(shells); do
                    command -v $shell >/dev/null || continue
                    $shell script | cmp -s - <(printf '%s\0' "$@") || echo $shell
                done
                while read -r line; do for shell in dash fish; do $shell -c "$line"; done; done <escaped >/dev/null 2>&1
                [ ! -e ran ] || echo ran; rm -r $PWD
                """#, words: words,
                environment: [
                    "SCRIPT": script, "ESCAPED": escaped.prefix(20).map { ": \(Display.shellWord($0))\n" }.joined(),
                ])
            #expect(outcome.output == "", "seed \(testSeed): \(outcome)")
        }
    }

    @Test("in a locale of another encoding, hints are ASCII, and bash completes only names in ASCII")
    func encodings() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            skr get "a/$NAME"; for name in "$NAME" ab; do printf x | skr set "$name"; done; export LC_ALL=zh_CN.GB18030; skr get "a/$NAME"
            skr ---complete bash 'skr get ' ''
            """#, environment: ["NAME": "\u{3042}0;ls", "LC_ALL": "C.UTF-8"])
        #expect(outcome.errors.contains("word: a '\u{3042}0;ls'\n"), "\(outcome)")
        #expect(outcome.errors.contains(#"word: a $'\xE3\x81\x820;ls'\#n"#), "\(outcome)")
        #expect(outcome.output.contains("ab") && !outcome.output.contains("ls"), "\(outcome)")
        let single = try CommandRunner().inSession("LC_ALL=de_DE skr get a/é")
        #expect(single.errors.contains("word: a é\n"), "\(single)")
    }

    @Test("plain text does not change")
    func plain() {
        for text in ["", "api", "é \u{301}", "日本", "😀", "a\u{A0}b", "%1B"] {
            #expect(Display.plain(text) == text && Display.plainJSON(text) == text)
        }
        #expect(Display.plain("\u{1B}\u{9B}\u{E0041}") == "%1B%C2%9B%F3%A0%81%81")
        #expect(Display.plainJSON("{\n}\u{9B}\u{E0041}") == "{\n}\\u009B\\uDB40\\uDC41")
    }
}
