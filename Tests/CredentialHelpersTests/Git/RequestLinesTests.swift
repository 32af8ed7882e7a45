import Testing

@testable import CredentialHelpers

@Suite("Lines of a request")
struct RequestLinesTests {
    @Test(
        "a request is complete once it has a whole empty line",
        arguments: [
            ("", false), ("\n", true), ("\r\n", true), ("a", false), ("a\n", false), ("a\r\n", false), ("a\n\n", true),
            ("a\r\n\r\n", true), ("a\n\r\n", true), ("a\n\r", false), ("\r", false), ("a\rb\n", false),
        ])
    func complete(text: String, isComplete: Bool) {
        let bytes = Array(text.utf8)
        #expect(RequestLines.endsEmpty(bytes.span.bytes) == isComplete)
    }

    @Test(
        "lines end at an empty line, and lose carriage returns only if the first line has one",
        arguments: [
            ("", []), ("a", ["a"]), ("a\nb\n", ["a", "b"]), ("a\nb\n\nc\n", ["a", "b"]), ("\na\n", []), ("\n", []),
            ("\u{FEFF}a\n", ["a"]), ("\u{FEFF}", []), ("a\n\u{FEFF}", ["a", "\u{FEFF}"]),
            ("a\r\nb\r\n\r\nc\r\n", ["a", "b"]), ("a\r\nb\nc\r", ["a", "b", "c"]), ("\r\na\r\n", []), ("a\r", ["a"]),
            ("a\nb\r\n\r\nc\n", ["a", "b\r", "\r", "c"]),
        ] as [(String, [String])])
    func lines(text: String, expected: [String]) {
        let bytes = Array(text.utf8)
        var lines: [String] = []
        RequestLines.forEach(in: bytes.span.bytes) { line in
            lines.append(line.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
        }
        #expect(lines == expected)
    }
}
