import FoundationEssentials

/// A date and time with its zone, as RFC 3339 has it: `2031-01-02T03:04:05Z`, `2031-01-02T03:04:05.678+01:00`.
package enum DateTimeText {
    /// Seconds since 1970; `nil` for a text that is none.
    package static func parse(_ text: String) -> Double? {
        // The standard allows a blank for the T, and small letters.
        let text = text.uppercased().replacing(" ", with: "T", maxReplacements: 1)
        // The library is the more generous reader.
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.utf8.contains(UInt8(ascii: ".")))
        // It passes over what stands behind the zone.
        let zone = text.utf8.dropFirst(19).drop { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
        guard zone.elementsEqual("Z".utf8) || (zone.first != UInt8(ascii: "Z") && (5...6).contains(zone.count)) else {
            return nil
        }
        // It makes March 1 of February 29, so a day and an hour that there are not show when they are written again.
        let local = text.prefix(19) + "Z"
        guard let date = try? style.parse(text), let same = try? Date.ISO8601FormatStyle().parse(String(local)),
            Date.ISO8601FormatStyle().format(same) == local
        else { return nil }
        return date.timeIntervalSince1970
    }
}
