/// ASCII classes of a byte.
///
/// The standard library's `Character` costs more and also accepts other digits.
extension UInt8 {
    package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    package var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
    /// A space or a tab.
    package var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
    /// A space, a tab or a line break: white space in JSON.
    package var isWhiteSpace: Bool { isBlank || self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
}

extension String {
    /// The text with the letters A to Z in lower case, as DNS compares names; all other bytes are unchanged.
    package var asciiLowercased: String { String(decoding: utf8.map { $0.isLetter ? $0 | 0x20 : $0 }, as: UTF8.self) }
}
