import Testing

@testable import StressSuite

@Suite("Stamps of values")
struct StampTests {
    @Test("a stamp is never 0, so that 0 can stand for no value")
    func zero() {
        #expect(Stamp(rawValue: 0) == nil)
        let stamp = Stamp(writer: 0, number: 1)
        #expect(Stamp(rawValue: stamp.rawValue) == stamp)
        #expect(stamp.description == "0.1")
    }
}
