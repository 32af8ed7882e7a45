import Foundation
import Keyutils
import SecretText
import SessionKeyringTesting
import Testing

import skr
import Threads

/// Returns a field of a JSON text, or `nil` if there isn't one.
func field(_ path: String, of text: [UInt8]) -> String? {
    let bytes = SecretBytes(copying: text)
    return bytes.withBytes { bytes in
        switch JSONField.find(JSONPath(path), in: bytes) {
        case .found(let value):
            value.withBytes { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
        case .nothing: nil
        case .noText: "half a character"
        case .notJSON: "not JSON"
        }
    }
}

@Suite("Fields of JSON")
struct FieldTests {
    @Test(
        "a field keeps its exact value, paths have names and positions, and the last of two equal names wins",
        arguments: [
            (#"{"a":123456789012345678901234567890}"#, "a", "123456789012345678901234567890"),
            (#"{"a":1.10}"#, "a", "1.10"), (#"{"a":-0}"#, "a", "-0"), (#"{"a":1E+2}"#, "a", "1E+2"),
            (#"{"a":1e400}"#, "a", "1e400"), (#"{"a":1e400,"b":"x"}"#, "b", "x"), (#"{"a":0.1e-7}"#, "a", "0.1e-7"),
            (#"{"a": { "c" : [ 1.0 , "x y" , {} ] , "b" : 2 } }"#, "a", #"{"c":[1.0,"x y",{}],"b":2}"#),
            (#"{"a":{"x":" \" ","y":"\\"} }"#, "a", #"{"x":" \" ","y":"\\"}"#),
            (#"{"a":true}"#, "a", "true"), (#"{"a":null}"#, "a", "null"), (#"{"a":""}"#, "a", ""),
            (#"{"a":"\u00e9\ud83d\ude00\n\/\"\\"}"#, "a", "é😀\n/\"\\"), (#"{"a":"\u0000"}"#, "a", "\0"),
            // The last of two equal names wins, as in jq.
            (#"{"a":1,"a":2}"#, "a", "2"), (#"{"a":{"b":1},"a":{"c":2}}"#, "a.b", nil),
            (#"{"a":{"b":1},"a":{"b":2,"b":3}}"#, "a.b", "3"), (#"{"a":{"b":1},"a":5}"#, "a.b", nil),
            (#"{"a":1,"\u0061":2}"#, "a", "2"), (#"[{"a":1},{"a":2}]"#, "0.a", "1"),
            (#"{"a":{"b":1},"c":{"a":{"b":2}}}"#, "a.b", "1"),
            // Paths work with and without a leading dot. Names are compared byte by byte.
            (#"{"a":[{"b":7}]}"#, "a.0.b", "7"), (#"{"a":[{"b":7}]}"#, ".a.0.b", "7"), ("[[1,2],3]", ".0.1", "2"),
            ("[1]", "1", nil), ("[1]", "-1", nil), ("[1]", "+0", nil), (#"{"0":5}"#, "0", "5"), ("5", "a", nil),
            (#"{"":{"":1}}"#, "..", "1"), (#"{"e\u0301":1}"#, "\u{E9}", nil), (#"{"\u00e9":1}"#, "\u{E9}", "1"),
            ("[" + String(repeating: "0,", count: 12) + "1]", "12", "1"), ("[1]", "99999999999999999999", nil),
            ("\u{FEFF}{\"a\":1}", "a", "1"), (#"{"a":"\ud800"}"#, "a", "half a character"),
            (#"{"a":"\udc00\ud800","b":1}"#, "b", "1"), (#"{"\ud800":1}"#, "\u{FFFD}", nil),
        ] as [(String, String, String?)])
    func fields(text: String, path: String, expected: String?) {
        #expect(field(path, of: Array(text.utf8)) == expected)
    }

    @Test(
        "text that isn't JSON is reported, wherever the error is",
        arguments: [
            "", " ", "{", "}", "[1,]", "[,1]", "{,}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "{a:1}", "01", "1.", ".5",
            "+1",
            "1e", "1e+", "-", "nul", "nulll", "NaN", "Infinity", "'a'", "\"", "\"\\\"", "\"\\x\"", "\"\\u12G4\"",
            "\"\n\"",
            "[1 2]", #"{"a" 1}"#, "1 2", "[1]]", "[}", "{]", "/**/1", "\"\t\"",
        ])
    func notJSON(text: String) {
        #expect(field("a", of: Array(text.utf8)) == "not JSON")
        #expect(field("a", of: Array(#"{"a":1,"b":"#.utf8) + Array(text.utf8)) == "not JSON")
    }

    @Test("bytes that aren't UTF-8 are not JSON")
    func notText() {
        #expect(field("a", of: Array(#"{"a":1,"b":""#.utf8) + [0xFF] + Array("\"}".utf8)) == "not JSON")
    }

    @Test("nesting of any depth does not use the stack", arguments: [500, 5_000, 50_000])
    func depth(depth: Int) {
        let text = Array(#"{"a":1,"b":"#.utf8) + [UInt8](repeating: UInt8(ascii: "["), count: depth)
        let whole = text + [UInt8](repeating: UInt8(ascii: "]"), count: depth) + Array("}".utf8)
        let (found, end) = (Locked<[String?]>([]), DispatchSemaphore(value: 0))
        let thread = Thread {
            let fields = [field("a", of: whole), field("a", of: text), field("b", of: whole)]
            found.withLock { $0 = fields }
            end.signal()
        }
        thread.stackSize = 256 << 10
        thread.start()
        #expect(end.wait(timeout: .now() + 50) == .success)
        let brackets = String(decoding: whole.dropFirst(11).dropLast(), as: UTF8.self)
        #expect(found.withLock { $0 } == ["1", "not JSON", brackets])
    }

    @Test("get, references and cached read fields in the same way, even with a small stack")
    func everywhere() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            json() { printf '{"n":1.10,"big":123456789012345678901234567890,"odd":1e400,"d":%s%s}' "$(head -c $1 /dev/zero | tr '\0' '[')" "$(head -c $1 /dev/zero | tr '\0' ']')"; }
            json 500 | skr set api; ulimit -s 256
            for path in n .n big; do skr get api --field $path; echo; done
            echo '{{ skr://api?field=.n }} {{ skr://api?field=big }}' | skr inject
            skr exec --env A='skr://api?field=.odd' -- sh -c 'echo $A'; skr get api --field .x; echo $?
            json 5000 | skr set api; skr get api --field .n; echo
            skr cached a --timeout-from-json .e -- echo '{"e":60,"odd":1e400}'; skr cached --forget a; echo $?
            """#,
            prints: "1.10\n1.10\n123456789012345678901234567890\n1.10 123456789012345678901234567890\n1e400\n65\n"
                + "1.10\n{\"e\":60,\"odd\":1e400}\n0\n")
        #expect(outcome.errors.hasPrefix("skr: error: api: the secret has no field '.x'\nskr: hint: "))
    }
}
