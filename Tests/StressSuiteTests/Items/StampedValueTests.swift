import Testing

@testable import StressSuite

@Suite("Values that show who wrote them")
struct StampedValueTests {
    private static let stamp = Stamp(writer: 3, number: 17)

    private static func value(_ size: Int, stamp: Stamp = stamp, item: UInt64 = 5, seed: UInt64 = 9) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xAA, count: size)
        bytes.withUnsafeMutableBytes {
            StampedValue.write(stamp: stamp, item: item, seed: seed, count: 42, into: $0)
        }
        return bytes
    }

    private static func read(_ bytes: [UInt8], item: UInt64 = 5, seed: UInt64 = 9) -> StampedValue.Reading {
        StampedValue.read(bytes.span.bytes, item: item, seed: seed)
    }

    @Test("a written value is read back, at every size", arguments: [48, 49, 55, 56, 57, 200, 2_000, 32_767])
    func roundTrip(size: Int) {
        let reading = Self.read(Self.value(size))
        #expect(reading.stamp == Self.stamp)
        #expect(reading.count == 42)
        #expect(reading.flaw == nil)
    }

    @Test("every changed byte is noticed")
    func changedByte() {
        let whole = Self.value(200)
        for position in whole.indices {
            var bytes = whole
            bytes[position] ^= 1
            #expect(Self.read(bytes).flaw == .torn, "byte \(position)")
        }
    }

    @Test("a part of one value with the rest of another is torn")
    func mixed() {
        let (first, second) = (Self.value(200), Self.value(200, stamp: Stamp(writer: 3, number: 18)))
        for cut in 1..<200 where first[..<cut] != second[..<cut] && first[cut...] != second[cut...] {
            #expect(Self.read(Array(first[..<cut] + second[cut...])).flaw == .torn, "cut at \(cut)")
        }
    }

    @Test("a value that was cut short, or that the suite never wrote, is torn")
    func short() {
        let whole = Self.value(100)
        for count in 0..<100 { #expect(Self.read(Array(whole[..<count])).flaw == .torn) }
        #expect(Self.read([UInt8](repeating: 0, count: 200)).flaw == .torn)
    }

    @Test("a whole value of another item or run is distinguished from a torn one")
    func foreign() {
        #expect(Self.read(Self.value(100, item: 6)).flaw == .otherItem)
        #expect(Self.read(Self.value(100, seed: 8)).flaw == .otherRun)
    }

    @Test("a stamp is never 0, so that 0 can stand for no value")
    func zero() {
        #expect(Stamp(rawValue: 0) == nil)
        #expect(Stamp(rawValue: Self.stamp.rawValue) == Self.stamp && Self.stamp.description == "3.17")
        #expect(Stamp(rawValue: Stamp(writer: 0, number: 1).rawValue) == Stamp(writer: 0, number: 1))
    }
}
