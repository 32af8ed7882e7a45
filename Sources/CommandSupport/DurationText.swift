import Keyutils

/// Durations as people type them: `90`, `90s`, `15m`, `8h`, `2d`, `1h30m`.
package enum DurationText {
    /// The accepted forms, for hints.
    package static var forms: String { "90, 90s, 15m, 8h, 2d or 1h30m" }

    /// Parses a duration; `nil` for any other text.
    ///
    /// Zero is a duration here; the store refuses it.
    package static func parse(_ text: String) -> Duration? {
        var total: Int64 = 0
        var number: Int64?
        var smallest = Int64.max
        for byte in text.utf8 {
            if byte.isDigit {
                let (product, overflow) = (number ?? 0).multipliedReportingOverflow(by: 10)
                let (sum, overflowToo) = product.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
                if overflow || overflowToo { return nil }
                number = sum
                continue
            }
            // Each unit can occur once, and larger units come first.
            guard let count = number, let unit = seconds(ofUnit: byte), unit < smallest else { return nil }
            let (product, overflow) = count.multipliedReportingOverflow(by: unit)
            let (sum, overflowToo) = total.addingReportingOverflow(product)
            if overflow || overflowToo { return nil }
            total = sum
            number = nil
            smallest = unit
        }
        guard let seconds = number else { return text.isEmpty ? nil : .seconds(total) }
        // A bare number means seconds. After a unit, that would be a guess.
        return smallest == .max ? .seconds(seconds) : nil
    }

    private static func seconds(ofUnit letter: UInt8) -> Int64? {
        switch letter {
        case UInt8(ascii: "d"): 86_400
        case UInt8(ascii: "h"): 3_600
        case UInt8(ascii: "m"): 60
        case UInt8(ascii: "s"): 1
        default: nil
        }
    }

    /// Returns whether the word is a unit of time, as people write it out.
    static func isUnit(_ word: String) -> Bool {
        letter(ofUnit: word) != nil
            || ["w", "week", "weeks", "month", "months", "year", "years"].contains { $0 == word }
    }

    /// Returns the letter that stands for this unit in a duration; `nil` if durations don't have the unit.
    static func letter(ofUnit word: String) -> String? {
        switch word {
        case "s", "sec", "secs", "second", "seconds": "s"
        case "m", "min", "mins", "minute", "minutes": "m"
        case "h", "hr", "hrs", "hour", "hours": "h"
        case "d", "day", "days": "d"
        default: nil
        }
    }

    /// Formats a duration in its two largest units, such as `1d2h` or `12s`.
    package static func rounded(_ duration: Duration) -> String {
        var rest = max(0, duration.components.seconds)
        var parts: [String] = []
        for letter in ["d", "h", "m", "s"] {
            let unit = letter.utf8.first.flatMap(seconds(ofUnit:)) ?? 1
            if rest >= unit || letter == "s" && parts.isEmpty {
                parts.append("\(rest / unit)\(letter)")
                rest %= unit
            } else if !parts.isEmpty {
                break
            }
        }
        return parts.prefix(2).joined()
    }

    /// Formats the time left of a timeout in the unit to which the kernel rounds it.
    package static func short(_ duration: Duration, precision: Duration) -> String {
        let unit = precision.components.seconds
        let letter =
            switch unit {
            case 604_800: "w"
            case 86_400: "d"
            case 3_600: "h"
            case 60: "m"
            default: "s"
            }
        return "\(duration.components.seconds / max(1, unit))\(letter)"
    }
}
