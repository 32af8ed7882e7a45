import Keyutils
import SecretText
import Testing

@Suite("Base64 and times")
struct EncodingTests {
    @Test(
        "base64 encoding matches RFC 4648",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"), ("\u{FFFF}\u{3FF}?>", "77+/z78/Pg=="),
        ])
    func base64(text: String, encoded: String) {
        let bytes = SecretBytes { writer in
            SecretBytes(utf8: text).withBytes { writer.appendBase64($0) }
        }
        #expect(SecretBox(bytes).text == encoded)
    }

    @Test("a formatted time parses to the same time, from the year 1 to the year 9999")
    func times() {
        for (time, text) in [
            (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"), (951_868_800, "2000-03-01T00:00:00Z"),
            (1_709_164_800, "2024-02-29T00:00:00Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"), (.max, "9999-12-31T23:59:59Z"), (.min, "0001-01-01T00:00:00Z"),
        ] as [(Int64, String)] {
            #expect(DateTimeText.text(of: time) == text)
        }
        for time in stride(from: -11_000_000_000, to: 253_000_000_000, by: 987_654_321) as StrideTo<Int64> {
            #expect(DateTimeText.parse(DateTimeText.text(of: time)) == Double(time))
        }
        for text in ["2031-01-02 03:04:05 UTC", "2031-01-02T03:04:05 UTC", "2031-01-02T03:04:05UTC"] {
            #expect(DateTimeText.parse(text) == 1_925_089_445)
        }
        #expect(DateTimeText.parse("2031-01-02 03:04:05TUTC") == nil)
    }
}
