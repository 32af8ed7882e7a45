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

    /// `118,034`; with a decimal below 10; a dash for what is no number.
    package static func rate(_ perSecond: Double) -> String {
        guard let number = whole(perSecond) else { return "-" }
        return abs(perSecond) < 10 && perSecond != 0 ? fixed(perSecond, decimals: 1) : count(number)
    }

    /// `640`, `1.2k`, `118k`, `2.4M`: three digits at most.
    package static func short(_ number: Double) -> String {
        guard number.isFinite, number >= 0 else { return "-" }
        let units: [(size: Double, letter: String)] = [(1e9, "G"), (1e6, "M"), (1e3, "k")]
        // What would be rounded to 1000 of a unit is 1 of the next.
        guard let unit = units.first(where: { number >= $0.size * 0.9995 }) else {
            return fixed(number, decimals: 0)
        }
        let scaled = number / unit.size
        let text = fixed(scaled, decimals: scaled < 9.95 ? 1 : 0)
        return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + unit.letter
    }

    /// A time in nanoseconds: `640 ns`, `6.1 us`, `92 us`, `1.3 ms`, `2.1 s`.
    package static func time(_ nanoseconds: UInt64, micro: String = "us") -> String {
        let units: [(size: Double, name: String)] = [(1e9, "s"), (1e6, "ms"), (1e3, micro)]
        let number = Double(nanoseconds)
        guard let unit = units.first(where: { number >= $0.size * 0.9995 }) else { return "\(nanoseconds) ns" }
        let scaled = number / unit.size
        return "\(fixed(scaled, decimals: scaled < 9.95 ? 1 : 0)) \(unit.name)"
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
        var scale = 1
        for _ in 0..<decimals { scale *= 10 }
        guard let scaled = whole(number * Double(scale)) else { return "-" }
        guard decimals > 0 else { return "\(scaled)" }
        let fraction = String(scaled.magnitude % UInt(scale))
        let zeros = String(repeating: "0", count: decimals - fraction.count)
        return "\(scaled < 0 ? "-" : "")\(scaled.magnitude / UInt(scale)).\(zeros)\(fraction)"
    }

    private static func whole(_ number: Double) -> Int? {
        number.isFinite ? Int(exactly: number.rounded()) : nil
    }
}
