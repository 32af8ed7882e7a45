extension DateTimeText {
    /// Formats a time in UTC, such as `2031-01-02T03:04:05Z`.
    ///
    /// A time outside of the years 1 to 9999 becomes the nearest time in them.
    ///
    /// - Parameter time: seconds since 1970.
    package static func text(of time: Int64) -> String {
        let time = min(max(time, -62_135_596_800), 253_402_300_799)
        let (year, month, day) = date(ofDay: Int((Double(time) / 86_400).rounded(.down)))
        let second = Int(time) - Int((Double(time) / 86_400).rounded(.down)) * 86_400
        return "\(digits(year, 4))-\(digits(month))-\(digits(day))T"
            + "\(digits(second / 3_600)):\(digits(second / 60 % 60)):\(digits(second % 60))Z"
    }

    /// Returns the date of a day counted from 1970.
    ///
    /// The calculation uses years that begin in March, so that a leap day is the last day of its year.
    private static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
        // Count the days from March 1 of the year 0, in cycles of 400 years.
        let day = day + 719_468
        let (cycle, dayOfCycle) = (day / 146_097, day % 146_097)
        let year = (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let isNextYear = month >= 10
        return (
            cycle * 400 + year + (isNextYear ? 1 : 0), isNextYear ? month - 9 : month + 3,
            dayOfYear - (153 * month + 2) / 5 + 1
        )
    }

    private static func digits(_ number: Int, _ count: Int = 2) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
