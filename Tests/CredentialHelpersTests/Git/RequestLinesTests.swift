import CredentialHelpers
import Testing

@Suite("Lines of a request")
struct RequestLinesTests {
    @Test(
        "a request is complete with the end of an empty line",
        arguments: [
            ("", false), ("\n", true), ("\r\n", true), ("a", false), ("a\n", false), ("a\r\n", false), ("a\n\n", true),
            ("a\r\n\r\n", true), ("a\n\r\n", true), ("a\n\r", false), ("\r", false), ("a\rb\n", false),
        ])
    func complete(text: String, isComplete: Bool) {
        let bytes = Array(text.utf8)
        #expect(RequestLines.endsEmpty(bytes.span.bytes) == isComplete)
    }
}
