import Testing

@testable import StressSuite

@Suite("Numbers as text")
struct FiguresTests {
    @Test(
        "counts contain commas",
        arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567"), (-12_345, "-12,345")])
    func counts(number: Int, text: String) {
        #expect(Figures.count(number) == text)
    }

    @Test(
        "short numbers have at most three digits",
        arguments: [
            (0, "0"), (640, "640"), (999.4, "999"), (999.6, "1k"), (1_240, "1.2k"), (9_960, "10k"), (118_034, "118k"),
            (999_600, "1M"), (2_400_000, "2.4M"), (.nan, "-"), (.infinity, "-"),
        ] as [(Double, String)])
    func short(number: Double, text: String) {
        #expect(Figures.short(number) == text)
    }

    @Test(
        "times have the unit that fits",
        arguments: [
            (0, "0 ns"), (640, "640 ns"), (999, "999 ns"), (1_000, "1.0 us"), (6_140, "6.1 us"), (92_300, "92 us"),
            (999_600, "1.0 ms"), (1_310_000, "1.3 ms"), (2_100_000_000, "2.1 s"), (12_000_000_000, "12 s"),
        ] as [(UInt64, String)])
    func times(nanoseconds: UInt64, text: String) {
        #expect(Figures.time(nanoseconds) == text)
    }

    @Test(
        "durations and percentages are readable, even for numbers that are not finite",
        arguments: [(0, "0.0 s"), (3.24, "3.2 s"), (59.96, "1 min 0 s"), (125, "2 min 5 s"), (3_660, "1 h 1 min")])
    func durations(seconds: Double, text: String) {
        #expect(Figures.duration(seconds) == text)
        #expect(Figures.duration(.nan) == "-")
        #expect(Figures.percent(1, of: 0) == 0)
        #expect(Figures.percent(.nan, of: 3) == 0)
        #expect(Figures.percent(199, of: 200) == 99)
        #expect(Figures.percent(300, of: 200) == 100)
        #expect(Figures.fixed(-1.25, decimals: 1) == "-1.3")
        #expect(Figures.fixed(0.04, decimals: 1) == "0.0")
        #expect(Figures.rate(3.14159) == "3.1")
    }
}
