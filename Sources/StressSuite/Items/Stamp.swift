/// Identifies a value by its writer and its number; no two values of a run have the same stamp.
package struct Stamp: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The number of the stamp, which is never 0, so that 0 can stand for the absence of a value.
    package let rawValue: UInt64

    /// Creates a stamp from a number; `nil` for 0.
    package init?(rawValue: UInt64) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }

    /// Creates the stamp of a worker's value.
    ///
    /// - Parameters:
    ///   - writer: the number of the worker.
    ///   - number: which of the worker's values it is, counted from 1.
    package init(writer: UInt32, number: UInt32) {
        precondition(number > 0)
        rawValue = UInt64(writer) << 32 | UInt64(number)
    }

    package var writer: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 32) }
    package var number: UInt32 { UInt32(truncatingIfNeeded: rawValue) }

    /// The stamp as histories show it: the 17th value of writer 3 is `3.17`.
    package var description: String { "\(writer).\(number)" }
}
