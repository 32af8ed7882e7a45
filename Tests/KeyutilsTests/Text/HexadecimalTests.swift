import Keyutils
import Testing

@Suite("Hexadecimal digits")
struct HexadecimalTests {
    @Test("a number has at least the given digits, and never loses one")
    func digits() {
        #expect([0x0, 0xA, 0xFF].map { UInt8($0).hexadecimal(digits: 2) } == ["00", "0a", "ff"])
        #expect(UInt32(0x3F01_0000).hexadecimal(digits: 8, uppercase: true) == "3F010000")
        #expect(UInt16(0x123).hexadecimal(digits: 2) == "123")
    }

    @Test("digits of both cases have a value, and no other byte has one")
    func values() {
        let digits = (UInt8.min...(.max)).filter { $0.hexDigitValue != nil }
        #expect(digits == Array("0123456789ABCDEFabcdef".utf8))
        #expect(digits.compactMap(\.hexDigitValue) == Array(0...15) + Array(10...15))
    }
}
