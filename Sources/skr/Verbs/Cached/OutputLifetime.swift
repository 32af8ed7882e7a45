import CommandSupport
import FoundationEssentials
import Keyutils

/// How long an output is valid, as it says itself.
package enum OutputLifetime {
    /// A larger number is a Unix time, not a number of seconds to live.
    private static let longestNumber = 1_000_000_000.0
    /// Ten years with leap days: no token lives longer, so a larger number is some other time.
    private static let longest = 315_576_000.0

    /// From a field that holds a number of seconds, a Unix time, or a date and time.
    static func read(_ path: String, from bytes: RawSpan) throws(CommandError) -> Duration {
        guard let seconds = try text(of: path, in: bytes).flatMap({ seconds($0, now: Date.now.timeIntervalSince1970) })
        else {
            throw failure(path, "the field is neither a number of seconds nor a time")
        }
        guard seconds >= 1 else { throw failure(path, "the time that the field tells is over") }
        guard seconds <= longest else {
            throw failure(path, "the time that the field tells is more than 10 years away")
        }
        return .seconds(Int64(seconds))
    }

    /// How long from now; `nil` for a text that is no time.
    package static func seconds(_ text: String, now: Double) -> Double? {
        guard let number = Double(text) else { return DateTimeText.parse(text).map { $0 - now } }
        guard number.isFinite else { return nil }
        return number > longestNumber ? number - now : number
    }

    /// The text of a number or a string; `nil` for half a character.
    private static func text(of path: String, in bytes: RawSpan) throws(CommandError) -> String? {
        switch JSONField.find(JSONPath(path), in: bytes) {
        case .found(let text):
            return text.withBytes { unsafe $0.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) } }
        case .nothing: throw failure(path, "the output has no such field")
        case .noText: return nil
        case .notJSON: throw failure(path, "the output is not JSON")
        }
    }

    /// It does not show the field's value, which may be a secret.
    private static func failure(_ path: String, _ problem: String) -> CommandError {
        .data(
            "--timeout-from-json \(Display.quoted(path)): \(problem)",
            hint: "the output was not kept; name its field, such as .expires_in or .Credentials.Expiration")
    }
}

/// A date and time with its zone, as RFC 3339 has it: `2031-01-02T03:04:05Z`, `2031-01-02T03:04:05.678+01:00`.
package enum DateTimeText {
    /// Seconds since 1970; `nil` for a text that is none.
    package static func parse(_ text: String) -> Double? {
        // The standard allows a blank for the T, and small letters.
        let text = text.uppercased().replacing(" ", with: "T", maxReplacements: 1)
        var (local, rest) = (String(text.prefix(19)), text.dropFirst(19))
        var fraction = 0.0
        if rest.first == "." {
            let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
            guard !digits.isEmpty, let value = Double("0.\(digits)") else { return nil }
            fraction = value
            rest = rest.dropFirst(1 + digits.count)
        }
        // The library ignores what is behind the zone, and knows no leap seconds.
        guard let zone = zone(rest) else { return nil }
        if local.hasSuffix(":60") {
            local = local.dropLast(2) + "59"
            fraction += 1
        }
        // It reads February 30 as March 1 or 2. Written again, such a date is another one.
        let style = Date.ISO8601FormatStyle()
        guard let date = try? style.parse(local + zone), let same = try? style.parse(local + "Z"),
            style.format(same) == local + "Z"
        else { return nil }
        return date.timeIntervalSince1970 + fraction
    }

    /// `Z`, or an offset with a colon; `nil` for what is no zone.
    private static func zone(_ text: Substring) -> String? {
        if text == "Z" { return "Z" }
        let digits = text.dropFirst().filter { $0 != ":" }
        let hasColon = text.count == 6 && text.dropFirst(3).first == ":"
        guard let sign = text.first, "+-".contains(sign), hasColon || text.count == 5, digits.count == 4,
            digits.allSatisfy({ $0.isASCII && $0.isNumber })
        else { return nil }
        return "\(sign)\(digits.prefix(2)):\(digits.suffix(2))"
    }
}
