import TestSupport
import Testing

@Suite("set of a text that ends in a carriage return")
struct CarriageReturnTests {
    @Test("the text is stored unchanged, with a warning that does not show it")
    func warns() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            printf 's3cret\r\n' | skr set api alice; skr get api alice | od -An -c | tr -d ' '
            printf 'a\r\nb\r' | skr set api bob --new --raw; skr get api bob | wc -c
            """#, prints: "s3cret\\r\n5\n")
        let warnings = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("skr: warning: ") }
        #expect(
            warnings
                == ["alice", "bob"].map {
                    "skr: warning: api \($0): the secret ends in a carriage return, as lines of Windows files do"
                })
        #expect(
            outcome.errors.contains(#"skr: hint: unless it belongs to the secret, store it again: tr -d '\r' < FILE"#))
        #expect(!outcome.errors.contains("s3cret"))
    }

    @Test(
        "no warning is printed for another text, for bytes that aren't text, or if nothing was stored",
        arguments: [
            #"printf 'a\rb\n' | skr set api"#, #"printf 'a\r\n' | skr set --raw api"#,
            #"printf '\xff\r' | skr set api"#, #"printf a | skr set api; printf 'a\r' | skr set --new api"#,
        ])
    func silent(line: String) throws {
        let outcome = try CommandRunner().inSession(line)
        #expect(!outcome.errors.contains("warning"), "\(outcome)")
    }
}
