import Foundation

/// A moment as people read it, wherever they are.
enum CalendarDate {
    static func text(secondsSince1970 seconds: Double) -> String {
        guard seconds.isFinite else { return "unknown" }
        let style = Date.ISO8601FormatStyle(dateSeparator: .dash, dateTimeSeparator: .space, timeSeparator: .colon)
            .year().month().day().time(includingFractionalSeconds: false)
        return Date(timeIntervalSince1970: seconds).formatted(style) + " UTC"
    }
}
