/// A date and time with its zone, as RFC 3339 has it: `2031-01-02T03:04:05Z`, `2031-01-02T03:04:05.678+01:00`.
package enum DateTimeText {
    /// Seconds since 1970; `nil` for a text that is none.
    package static func parse(_ text: String) -> Double? {
        var rest = text.utf8[...]
        guard let year = number(&rest, 4), skip(&rest, "-"), let month = number(&rest, 2), skip(&rest, "-"),
            let day = number(&rest, 2), skip(&rest, "T") || skip(&rest, "t") || skip(&rest, " "),
            let hour = number(&rest, 2), skip(&rest, ":"), let minute = number(&rest, 2), skip(&rest, ":"),
            let second = number(&rest, 2), hour < 24, minute < 60, second <= 60,
            let fraction = fraction(&rest), let offset = offset(&rest), rest.isEmpty,
            let midnight = midnight(year, month, day)
        else { return nil }
        return Double(midnight + hour * 3_600 + minute * 60 + second - offset) + fraction
    }

    /// Seconds from 1970 to the beginning of that day; `nil` where there is no such day.
    private static func midnight(_ year: Int, _ month: Int, _ day: Int) -> Int? {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard year > 0, (1...12).contains(month), (1...lengths[month - 1]).contains(day) else { return nil }
        let before = year - 1
        let leapDays = before / 4 - before / 100 + before / 400
        let daysBefore1970 = 719_162
        let days = before * 365 + leapDays + lengths[..<(month - 1)].reduce(0, +) + day - 1 - daysBefore1970
        return days * 86_400
    }

    private static func fraction(_ rest: inout Substring.UTF8View) -> Double? {
        guard skip(&rest, ".") else { return 0 }
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest = rest[digits.endIndex...]
        return Double("0." + String(Substring(digits)))
    }

    /// Seconds east of Greenwich.
    private static func offset(_ rest: inout Substring.UTF8View) -> Int? {
        if skip(&rest, "Z") || skip(&rest, "z") { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        guard skip(&rest, "+") || skip(&rest, "-"), let hours = number(&rest, 2) else { return nil }
        _ = skip(&rest, ":")
        guard let minutes = number(&rest, 2), hours < 24, minutes < 60 else { return nil }
        return (isWest ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }

    private static func number(_ rest: inout Substring.UTF8View, _ digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let byte = rest.popFirst(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value
    }

    private static func skip(_ rest: inout Substring.UTF8View, _ character: Unicode.Scalar) -> Bool {
        guard let byte = rest.first, UInt32(byte) == character.value else { return false }
        rest.removeFirst()
        return true
    }
}
