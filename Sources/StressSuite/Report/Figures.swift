import Foundation
import Keyutils

/// Formats numbers for people, in the same way in every locale.
package enum Figures {
    /// Formats a count, as in `1,234,567`.
    package static func count(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var text = number < 0 ? "-" : ""
        for (position, digit) in digits.enumerated() {
            if position > 0 && (digits.count - position) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// Formats a count with its noun, as in `1 call` and `1,234 calls`.
    package static func plural(_ number: Int, _ noun: String, _ ending: String = "s") -> String {
        "\(count(number)) \(noun)\(number == 1 ? "" : ending)"
    }

    /// Formats a rate, as in `118,034`; with one decimal below 10; as a dash if it is not a number.
    package static func rate(_ perSecond: Double) -> String {
        guard let number = whole(perSecond) else { return "-" }
        return abs(perSecond) < 10 && perSecond != 0 ? fixed(perSecond, decimals: 1) : count(number)
    }

    /// Formats a number with at most three digits, as in `640`, `1.2k`, `118k` and `2.4M`.
    package static func short(_ number: Double) -> String {
        guard number.isFinite, number >= 0 else { return "-" }
        guard let (text, unit) = scaled(number, by: ["G", "M", "k"]) else { return fixed(number, decimals: 0) }
        return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + unit
    }

    /// Formats a time in nanoseconds, as in `640 ns`, `6.1 us`, `92 us`, `1.3 ms` and `2.1 s`.
    package static func time(_ nanoseconds: UInt64, micro: String = "us") -> String {
        guard let (text, unit) = scaled(Double(nanoseconds), by: ["s", "ms", micro]) else { return "\(nanoseconds) ns" }
        return "\(text) \(unit)"
    }

    /// Divides by the largest of 1,000,000,000, 1,000,000 and 1,000 that fits, and names it; `nil` if none fits.
    private static func scaled(_ number: Double, by names: [String]) -> (text: String, unit: String)? {
        // A number that would be rounded to 1000 of a unit is 1 of the next unit.
        guard let (size, unit) = zip([1e9, 1e6, 1e3], names).first(where: { number >= $0.0 * 0.9995 }) else {
            return nil
        }
        return (fixed(number / size, decimals: number / size < 9.95 ? 1 : 0), unit)
    }

    /// Formats a duration in seconds, as in `0.4 s`, `59.9 s`, `2 min 5 s` and `1 h 1 min`.
    package static func duration(_ seconds: Double) -> String {
        guard let whole = whole(seconds), seconds >= 0 else { return "-" }
        if seconds < 59.95 { return "\(fixed(seconds, decimals: 1)) s" }
        if whole < 3_600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3_600) h \(whole % 3_600 / 60) min"
    }

    /// The share of a part in the whole, in percent, from 0 to 100.
    package static func percent(_ part: Double, of whole: Double) -> Int {
        let share = part / whole
        return share.isFinite ? Int((min(max(share, 0), 1) * 100).rounded(.down)) : 0
    }

    /// Formats a number with this many decimals; as a dash if it is not a number.
    package static func fixed(_ number: Double, decimals: Int) -> String {
        guard let scaled = whole(number * pow(10, Double(decimals))) else { return "-" }
        return String(format: "%.\(decimals)f", Double(scaled) / pow(10, Double(decimals)))
    }

    /// Formats a date, as in `2026-11-21 12:00:00 UTC`.
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
