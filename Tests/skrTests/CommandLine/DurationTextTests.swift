import CommandSupport
import Testing

@Suite("Durations")
struct DurationTextTests {
    @Test(
        "durations as people type them are read",
        arguments: [
            ("90", 90), ("90s", 90), ("15m", 900), ("8h", 28_800), ("2d", 172_800), ("1h30m", 5_400),
            ("1d2h3m4s", 93_784), ("0", 0),
        ]
    )
    func good(text: String, seconds: Int) {
        #expect(DurationText.parse(text) == .seconds(seconds))
    }

    @Test(
        "anything else is not a duration",
        arguments: [
            "", "s", "1x", "1.5h", "-1", "+1", "1h30", "30m1h", "1m1m", " 1", "1 ", "1H", "٣", "9223372036854775808",
            "99999999999999999d",
        ]
    )
    func bad(text: String) {
        #expect(DurationText.parse(text) == nil)
    }
}
