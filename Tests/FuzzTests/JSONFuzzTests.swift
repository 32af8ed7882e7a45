import Foundation
import Keyutils
import SecretText
import TestSupport
import Testing

import Threads
import skr

/// Describes the field that a path leads to in a text.
private func field(_ path: String, of text: [UInt8]) -> String {
    let bytes = SecretBytes(copying: text)
    return bytes.withBytes { bytes in
        switch JSONField.find(JSONPath(path), in: bytes) {
        case .found(let value): value.withBytes { $0.withUnsafeBytes { "=" + String(decoding: $0, as: UTF8.self) } }
        case .nothing: "nothing"
        case .noText: "half a character"
        case .notJSON: "not JSON"
        }
    }
}

@Suite("Fuzzing: JSON", .tags(.long))
struct JSONFuzzTests {
    @Test("a field lookup returns the value as written, from the last member with that name")
    func fields() {
        Fuzzer.forEach("JSON fields") { random in
            let value = WrittenJSON.random(&random, depth: 4)
            let path = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                WrittenJSON.names.randomElement(using: &random) ?? ""
            }
            let text = Array(value.spaced(&random).utf8)
            // A leading dot is not part of the path. So if the first name is empty, the path needs a dot.
            let dot = path[0].isEmpty || Bool.random(using: &random) ? "." : ""
            let found = field(dot + path.joined(separator: "."), of: text)
            let expected = value.at(path[...])?.meaning ?? "nothing"
            return found.utf8.elementsEqual(expected.utf8)
                ? nil : "\(path) of \(Fuzzer.show(text)) is \(found), not \(expected)"
        }
    }

    @Test("a text is accepted as JSON if Foundation accepts it, and only then")
    func grammar() {
        let samples = [
            #"{"a":[1,-2.5e3,{"b":null}],"c":"x\u00e9\n\"","d":true,"":false}"#, "[]", "{}", "0", "\"\"", " [ 1 , 2 ] ",
            #"{"a":1,"a":{"b":"\ud83d\ude00"}}"#, "-0.1E-7", "[[[[[[]]]]]]", "\t\r\n null",
        ]
        let tokens = [
            "{", "}", "[", "]", ",", ":", "\"", "\\u", "\\", "1e5", "-", "+", "0", ".", "E", "true", "nul", "\\/", "/*",
        ]
        Fuzzer("JSON", samples: samples, tokens: tokens).run { input, random in
            // If there are NULs, Foundation guesses UTF-16 or UTF-32.
            guard !input.contains(0) else { return nil }
            let isOurs = field(".a", of: input) != "not JSON"
            let isTheirs = (try? JSONSerialization.jsonObject(with: Data(input), options: .fragmentsAllowed)) != nil
            if isOurs == isTheirs { return nil }
            let text = String(decoding: input, as: UTF8.self)
            // Foundation refuses numbers and texts that it can't hold, and accepts superfluous commas.
            let isExcused = isOurs ? text.contains(#/\\u[dD]|[eE]|[0-9]{16}|\.[0-9]/#) : text.contains(#/,\s*[\]}]/#)
            return isExcused ? nil : isOurs ? "Foundation refuses it" : "only Foundation accepts it"
        }
    }
}

/// A JSON value that can be written as text.
private indirect enum WrittenJSON {
    static let names = ["a", "b", "0", "1", "", "\u{E9}", "e\u{301}", "\u{1F600}", "a\"b", "\\", "\u{2028}"]

    case scalar(String)
    case string(String)
    case array([WrittenJSON])
    case object([(name: String, value: WrittenJSON)])

    static func random(_ random: inout Choices, depth: Int) -> WrittenJSON {
        switch Int.random(in: 0..<(depth > 0 ? 6 : 2), using: &random) {
        case 0:
            let scalars = [
                "null", "true", "false", "0", "-0", "1.10", "123456789012345678901234567890", "1e400", "-1.5E-3",
                "1E+02",
            ]
            return .scalar(scalars.randomElement(using: &random) ?? "0")
        case 1: return .string(Fuzzer.text(&random, of: names))
        case 2, 3:
            return .array((0..<Int.random(in: 0...3, using: &random)).map { _ in .random(&random, depth: depth - 1) })
        default:
            return .object(
                (0..<Int.random(in: 0...4, using: &random)).map { _ in
                    (names.randomElement(using: &random) ?? "", .random(&random, depth: depth - 1))
                })
        }
    }

    /// Returns the value that the path leads to; of several members with one name, the last one.
    func at(_ path: ArraySlice<String>) -> WrittenJSON? {
        guard let step = path.first else { return self }
        switch self {
        case .object(let members):
            return members.last { $0.name.utf8.elementsEqual(step.utf8) }?.value.at(path.dropFirst())
        case .array(let members):
            guard let position = Int(step), members.indices.contains(position) else { return nil }
            return members[position].at(path.dropFirst())
        default: return nil
        }
    }

    var meaning: String {
        if case .string(let text) = self { "=" + text } else { "=" + written { $0 } }
    }

    func spaced(_ random: inout Choices) -> String {
        let blanks = ["", "", "", " ", "\n", "\t\r "]
        var generator = random
        let text = written {
            (blanks.randomElement(using: &generator) ?? "") + $0 + (blanks.randomElement(using: &generator) ?? "")
        }
        random = generator
        return text
    }

    /// Returns the compact text, with `around` applied to every mark between the values.
    private func written(_ around: (String) -> String) -> String {
        switch self {
        case .scalar(let text): return text
        case .string(let text): return Self.quoted(text)
        case .array(let members):
            return around("[") + members.map { $0.written(around) }.joined(separator: around(",")) + around("]")
        case .object(let members):
            let text = members.map { Self.quoted($0.name) + around(":") + $0.value.written(around) }
            return around("{") + text.joined(separator: around(",")) + around("}")
        }
    }

    /// Returns the text in quotes, with some letters escaped, the same ones each time.
    private static func quoted(_ text: String) -> String {
        let shorts: [Unicode.Scalar: String] = [
            "\"": "\\\"", "\\": "\\\\", "/": "\\/", "\n": "\\n", "\t": "\\t", "\r": "\\r",
        ]
        let written = text.unicodeScalars.map { scalar in
            if let short = shorts[scalar] { return short }
            guard scalar.value < 0x20 || scalar.value % 3 == 0 else { return String(scalar) }
            return scalar.utf16.map {
                "\\u" + String(repeating: "0", count: 4 - String($0, radix: 16).count) + String($0, radix: 16)
            }
            .joined()
        }
        return "\"" + written.joined() + "\""
    }
}
