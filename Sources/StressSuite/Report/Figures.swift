import Foundation

/// Numbers for people, the same in every locale.
package enum Figures {
    /// `1,234,567`.
    package static func count(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var text = number < 0 ? "-" : ""
        for (position, digit) in digits.enumerated() {
            if position > 0 && (digits.count - position) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// `1 call`, `1,234 calls`.
    package static func plural(_ number: Int, _ noun: String, _ ending: String = "s") -> String {
        "\(count(number)) \(noun)\(number == 1 ? "" : ending)"
    }

    /// `118,034`; with a decimal below 10; a dash for what is no number.
    package static func rate(_ perSecond: Double) -> String {
        guard let number = whole(perSecond) else { return "-" }
        return abs(perSecond) < 10 && perSecond != 0 ? fixed(perSecond, decimals: 1) : count(number)
    }

    /// `640`, `1.2k`, `118k`, `2.4M`: three digits at most.
    package static func short(_ number: Double) -> String {
        guard number.isFinite, number >= 0 else { return "-" }
        guard let (text, unit) = scaled(number, by: ["G", "M", "k"]) else { return fixed(number, decimals: 0) }
        return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + unit
    }

    /// A time in nanoseconds: `640 ns`, `6.1 us`, `92 us`, `1.3 ms`, `2.1 s`.
    package static func time(_ nanoseconds: UInt64, micro: String = "us") -> String {
        guard let (text, unit) = scaled(Double(nanoseconds), by: ["s", "ms", micro]) else { return "\(nanoseconds) ns" }
        return "\(text) \(unit)"
    }

    /// Of 1,000,000,000, 1,000,000 and 1,000 the largest that fits, by its name; `nil` for what is less.
    private static func scaled(_ number: Double, by names: [String]) -> (text: String, unit: String)? {
        // What would be rounded to 1000 of a unit is 1 of the next.
        guard let (size, unit) = zip([1e9, 1e6, 1e3], names).first(where: { number >= $0.0 * 0.9995 }) else {
            return nil
        }
        return (fixed(number / size, decimals: number / size < 9.95 ? 1 : 0), unit)
    }

    /// `0.4 s`, `59.9 s`, `2 min 5 s`, `1 h 1 min`.
    package static func duration(_ seconds: Double) -> String {
        guard let whole = whole(seconds), seconds >= 0 else { return "-" }
        if seconds < 59.95 { return "\(fixed(seconds, decimals: 1)) s" }
        if whole < 3_600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3_600) h \(whole % 3_600 / 60) min"
    }

    /// How much of the whole, from 0 to 100.
    package static func percent(_ part: Double, of whole: Double) -> Int {
        let share = part / whole
        return share.isFinite ? Int((min(max(share, 0), 1) * 100).rounded(.down)) : 0
    }

    /// With so many decimals; a dash for what is no number.
    package static func fixed(_ number: Double, decimals: Int) -> String {
        guard let scaled = whole(number * pow(10, Double(decimals))) else { return "-" }
        return String(format: "%.\(decimals)f", Double(scaled) / pow(10, Double(decimals)))
    }

    /// `2026-11-21 12:00:00 UTC`.
    static func date(secondsSince1970 seconds: Double) -> String {
        guard seconds.isFinite else { return "unknown" }
        let style = Date.ISO8601FormatStyle(dateSeparator: .dash, dateTimeSeparator: .space, timeSeparator: .colon)
            .year().month().day().time(includingFractionalSeconds: false)
        return Date(timeIntervalSince1970: seconds).formatted(style) + " UTC"
    }

    private static func whole(_ number: Double) -> Int? {
        number.isFinite ? Int(exactly: number.rounded()) : nil
    }
}
