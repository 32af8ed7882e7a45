import FoundationEssentials
import Keyutils

/// A date and time with a zone (RFC 3339): `2031-01-02T03:04:05Z`, `2031-01-02T03:04:05.678+01:00`.
///
/// The zone can also be `UTC`, as in the AWS CLI's `2031-01-02T03:04:05UTC`.
package enum DateTimeText {
    /// Parses a time and returns seconds since 1970; `nil` for any other text.
    package static func parse(_ text: String) -> Double? {
        // RFC 3339 allows a space instead of the T, and lower-case letters.
        let text = text.uppercased()
        var (local, rest) = (text.prefix(19).replacing(" ", with: "T"), text.dropFirst(19))
        var fraction = 0.0
        if rest.first == "." {
            let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
            guard !digits.isEmpty, let value = Double("0.\(digits)") else { return nil }
            fraction = value
            rest = rest.dropFirst(1 + digits.count)
        }
        // FoundationEssentials ignores text after the zone and does not support leap seconds.
        guard let zone = zone(rest) else { return nil }
        if local.hasSuffix(":60") {
            local = local.dropLast(2) + "59"
            fraction += 1
        }
        // It parses February 30 as March 1 or 2. Formatting the result again reveals such a date,
        // because the text differs.
        let style = Date.ISO8601FormatStyle()
        guard let date = try? style.parse(local + zone), let same = try? style.parse(local + "Z"),
            style.format(same) == local + "Z"
        else { return nil }
        return date.timeIntervalSince1970 + fraction
    }

    /// Returns `Z`, or an offset with a colon; `nil` for any other text.
    private static func zone(_ text: Substring) -> String? {
        if ["Z", "UTC", " UTC"].contains(text) { return "Z" }
        let digits = text.dropFirst().filter { $0 != ":" }
        let hasColon = text.count == 6 && text.dropFirst(3).first == ":"
        guard let sign = text.first, "+-".contains(sign), hasColon || text.count == 5, digits.count == 4,
            digits.allSatisfy({ $0.isASCII && $0.isNumber })
        else { return nil }
        return "\(sign)\(digits.prefix(2)):\(digits.suffix(2))"
    }
}
