import CommandSupport
import Keyutils
import SecretText

/// The section at the end of git's configuration in which 'skr helper install' sets our helper.
///
/// If the file's last line has no newline, the new last line doesn't have one either.
package enum GitLines {
    private static let header = "[credential]"

    /// Returns the section with its newlines.
    package static func newFile(_ value: String) -> String { "\(header)\n\(line(value))\n" }

    /// Returns the line that sets the helper, in the form that `git config` writes too.
    package static func line(_ value: String) -> String {
        let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let isQuoted = value.contains { ";#".contains($0) }
        return isQuoted ? "\thelper = \"\(escaped)\"" : "\thelper = \(escaped)"
    }

    package static func addition(of value: String, to text: RawSpan) -> TextEdit {
        let newline = Self.newline(of: text)
        let section = "\(header)\(newline)\(line(value))"
        let end = text.byteCount
        guard end > 0 else { return TextEdit(0..<0, section) }
        return TextEdit(end..<end, text[end - 1] == .lineFeed ? section + newline : newline + section)
    }

    /// Returns our last line with this value, without its newline.
    package static func line(of value: String, in text: RawSpan) -> Range<Int>? {
        var (isInside, found): (Bool, Range<Int>?) = (false, nil)
        for line in lines(of: text) {
            let bytes = text.extracting(line)
            if firstByte(of: bytes) == UInt8(ascii: "[") { isInside = bytes.starts(with: Array(header.utf8)) }
            if isInside, bytes.isEqual(to: Self.line(value)) { found = line }
        }
        return found
    }

    /// Removes our last line with this value; `nil` if that line doesn't exist.
    package static func removal(of value: String, from text: RawSpan) -> SetupRemoval? {
        guard let line = line(of: value, in: text) else { return nil }
        var (start, end) = (line.lowerBound, line.upperBound)
        let newline = header(before: line, in: text)
        if let newline { start -= header.utf8.count + newline.utf8.count }
        if end < text.byteCount {
            end += text[end] == .lineFeed ? 1 : 2
            if start == 0, end == text.byteCount, newline != nil { return .wholeFile }
        } else if start > 0 {
            // The newline before our section is ours too.
            let isWide = start > 1 && text[start - 2] == .carriageReturn && newline != "\n"
            start -= isWide ? 2 : 1
        }
        return .text(SecretBox(TextEdit(start..<end, "").apply(to: text)))
    }

    /// Returns the newline between our header and the line, or `nil` if the header has to stay.
    ///
    /// The header can be removed if it is directly before the line and the section contains nothing else.
    private static func header(before line: Range<Int>, in text: RawSpan) -> String? {
        for other in lines(of: text) where other.lowerBound > line.lowerBound {
            guard let first = firstByte(of: text.extracting(other)), !"#;".utf8.contains(first) else { continue }
            guard first == UInt8(ascii: "[") else { return nil }
            break
        }
        for newline in ["\r\n", "\n"] {
            let start = line.lowerBound - header.utf8.count - newline.utf8.count
            guard start >= 0, start == 0 || text[start - 1] == .lineFeed else { continue }
            if text.extracting(start..<line.lowerBound).isEqual(to: header + newline) { return newline }
        }
        return nil
    }

    /// Returns the lines without their newlines.
    private static func lines(of text: RawSpan) -> [Range<Int>] {
        var (lines, start): ([Range<Int>], Int) = ([], 0)
        while start < text.byteCount {
            let end = text.offset(of: .lineFeed, from: start)
            let stop = end.map { $0 > start && text[$0 - 1] == .carriageReturn ? $0 - 1 : $0 } ?? text.byteCount
            lines.append(start..<stop)
            start = (end ?? stop) + 1
        }
        return lines
    }

    /// Returns the first byte that is not blank.
    private static func firstByte(of line: RawSpan) -> UInt8? {
        for offset in 0..<line.byteCount where !line[offset].isBlank { return line[offset] }
        return nil
    }

    /// Returns the newline that ends the first line.
    private static func newline(of text: RawSpan) -> String {
        guard let first = text.offset(of: .lineFeed), first > 0 else { return "\n" }
        return text[first - 1] == .carriageReturn ? "\r\n" : "\n"
    }
}

extension UInt8 {
    fileprivate static let lineFeed = UInt8(ascii: "\n")
    fileprivate static let carriageReturn = UInt8(ascii: "\r")
}

extension RawSpan {
    func isEqual(to text: String) -> Bool { byteCount == text.utf8.count && starts(with: Array(text.utf8)) }
}
