import Keyutils
import Testing

@Suite("Names in keys' descriptions")
struct PercentCodingTests {
    @Test("ASCII characters that could be misread are encoded, with two digits each")
    func ascii() {
        let encoded = Set(UInt8(0)...0x20).union([0x7F, UInt8(ascii: ":"), UInt8(ascii: "%"), UInt8(ascii: ";")])
        for byte in UInt8(0)...0x7F {
            let text = "x" + String(Unicode.Scalar(byte))
            let digits = (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            let expected = encoded.contains(byte) ? "x%" + digits : text
            #expect(PercentCoding.encode(text) == expected)
            #expect(PercentCoding.decode(expected[...]) == text)
        }
    }

    @Test(
        "other characters are encoded if they are invisible, and a dot if it comes first",
        arguments: [
            ("é", "é"), ("日本", "日本"), (".a.", "%2Ea."), ("a\u{A0}b", "a%C2%A0b"), ("\u{200B}", "%E2%80%8B"),
            ("\u{85}", "%C2%85"), ("\u{2028}\u{2029}", "%E2%80%A8%E2%80%A9"), ("\u{FFFD}", "\u{FFFD}"), ("", ""),
        ])
    func unicode(text: String, encoded: String) {
        #expect(PercentCoding.encode(text).unicodeScalars.elementsEqual(encoded.unicodeScalars))
        #expect(PercentCoding.decode(encoded[...]) == text)
    }

    @Test(
        "a text that the encoder could not have produced is refused",
        arguments: [
            "a b", "a:b", ".a", "%", "%4", "%zz", "%3a", "%41", "%2", "a%", "%FF", "%C3", "\u{A0}", "x%2Ey", "%C2%A",
            "a;",
        ])
    func refused(encoded: String) {
        #expect(PercentCoding.decode(encoded[...]) == nil)
    }
}
