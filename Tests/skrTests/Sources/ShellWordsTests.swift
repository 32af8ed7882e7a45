import CommandSupport
import Foundation
import Testing
import Threads

@testable import skr

@Suite("Splitting a line into words")
struct ShellWordsTests {
    private func words(_ line: String) throws(InputProblem) -> [String] {
        var words = ShellWords(Array(line.utf8)[...])
        var all: [String] = []
        while let word = try words.next() { all.append(word) }
        return all
    }

    @Test(
        "words, quotes and comments are those of a POSIX shell",
        arguments: [
            ("", []), (" \t ", []), ("#a", []), ("a #b", ["a"]), ("a#b", ["a#b"]), ("'#' b", ["#", "b"]),
            ("a  b\tc", ["a", "b", "c"]), ("a\r", ["a"]), ("''", [""]), ("\"\" x", ["", "x"]), ("a''b", ["ab"]),
            (#"'a "b" \n $c'"#, [#"a "b" \n $c"#]), (#""a 'b' \n \"\\\$\`""#, [#"a 'b' \n "\$`"#]),
            (##"\ a\'\"\$\#"##, [##" a'"$#"##]), (##"\#a"##, ["#a"]),
            ("a=b,c:d/{e}~f!g%h^i]j", ["a=b,c:d/{e}~f!g%h^i]j"]),
            ("é 'ü b'", ["é", "ü b"]), (#"\~"#, ["~"]), ("'~'", ["~"]),
        ] as [(String, [String])])
    func splits(line: String, expected: [String]) throws {
        #expect(try words(line) == expected)
    }

    @Test(
        "what a shell would expand or act on is an error",
        arguments: [
            "|", "a|b", "&", ";", "<", ">", "(", ")", "$a", "a$", "*", "?", "[", "`", "~", "~/a", #""$a""#, #""`a`""#,
            "x ~a",
        ])
    func special(line: String) {
        let problem = #expect(throws: InputProblem.self) { try words(line) }
        #expect(problem?.summary.contains("a shell would expand") == true)
        #expect(problem?.hint.contains("sh -c '...'") == true)
    }

    @Test("an open quote, a '\\' at the end and invalid UTF-8 are errors", arguments: ["'a", #""a"#, #""a\"#, #"a\"#])
    func open(line: String) {
        let problem = #expect(throws: InputProblem.self) { try words(line) }
        #expect(
            problem?.summary.contains(line.hasPrefix("a") ? "ends with a '\\'" : "does not end on its line") == true)
    }

    @Test("a word that is not UTF-8 is an error")
    func invalid() {
        var words = ShellWords([0x61, 0xFF][...])
        #expect(throws: InputProblem.self) { try words.next() }
    }

    @Test("random lines are split as sh splits them, or refused")
    func asShell() throws {
        print("random lines: seed \(testSeed)")
        var random = Choices(seed: testSeed)
        let pieces = [
            "a", "b", " ", "\t", "'", "\"", "\\", "#", "=", "-", "x y", "é", "$", "~", "*", "\\\\", "''", "\"\"",
        ]
        var (lines, expected): ([String], [[String]]) = ([], [])
        while lines.count < 500 {
            let line = (0..<Int.random(in: 1...12, using: &random)).map { _ in pieces.randomElement(using: &random)! }
                .joined()
            guard let words = try? words(line) else { continue }
            lines.append(line)
            expected.append(words)
        }
        // Each line of the script prints its words, each with a NUL after it, and an empty line.
        let script = lines.map { "printf '%s\\0' -- \($0)\necho" }.joined(separator: "\n")
        let outcome = try ChildProcess.run("/bin/sh", ["-c", script], environment: [])
        #expect(outcome.exitCode == 0)
        #expect(
            String(decoding: outcome.output, as: UTF8.self)
                == expected.map { (["--"] + $0).map { $0 + "\0" }.joined() + "\n" }.joined())
    }
}
