/// Which worker wrote a value, and which of its values it is: no two values of a run have the same stamp.
package struct Stamp: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// Never 0, so that 0 can stand for no value.
    package let rawValue: UInt64

    /// - Returns: `nil` for 0.
    package init?(rawValue: UInt64) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }

    /// - Parameters:
    ///   - writer: the worker.
    ///   - number: which of the worker's values it is, counted from 1.
    package init(writer: UInt32, number: UInt32) {
        precondition(number > 0)
        rawValue = UInt64(writer) << 32 | UInt64(number)
    }

    package var writer: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 32) }
    package var number: UInt32 { UInt32(truncatingIfNeeded: rawValue) }

    /// As histories show it: writer 3's 17th value is `3.17`.
    package var description: String { "\(writer).\(number)" }
}
