import CommandSupport
import CredentialHelpers

/// Lines at the end of a file, put there so that they can be taken away again without a trace.
///
/// Whether a newline follows them tells what was there before: nothing follows them where the file was empty, or did not
/// end in one.
package enum AppendedLines {
    /// What becomes of a file.
    package enum Removal: Equatable {
        case edit(TextEdit)
        /// It has nothing else, and was not there before.
        case wholeFile
    }

    /// The whole of a new file.
    package static func newFile(_ lines: [String]) -> String { lines.joined(separator: "\n") + "\n" }

    package static func edit(appending lines: [String], to text: RawSpan) -> TextEdit {
        let newline = newline(of: text)
        let block = lines.joined(separator: newline)
        let end = text.byteCount
        guard end > 0 else { return TextEdit(0..<0, block) }
        return TextEdit(end..<end, text[end - 1] == UInt8(ascii: "\n") ? block + newline : newline + block)
    }

    /// Takes away the lines that these bytes are; `nil` where something else stands on them.
    package static func removal(of range: Range<Int>, from text: RawSpan) -> Removal? {
        let newline = newline(of: text)
        guard range.lowerBound == 0 || text[range.lowerBound - 1] == UInt8(ascii: "\n") else { return nil }
        guard range.upperBound < text.byteCount else {
            return .edit(TextEdit(max(0, range.lowerBound - newline.utf8.count)..<range.upperBound, ""))
        }
        let end = range.upperBound + newline.utf8.count
        guard end <= text.byteCount, text[end - 1] == UInt8(ascii: "\n"),
            newline.utf8.count == 1 || text[range.upperBound] == UInt8(ascii: "\r")
        else { return nil }
        return range.lowerBound == 0 && end == text.byteCount ? .wholeFile : .edit(TextEdit(range.lowerBound..<end, ""))
    }

    /// As its first line ends.
    private static func newline(of text: RawSpan) -> String {
        guard let first = text.offset(of: UInt8(ascii: "\n")), first > 0 else { return "\n" }
        return text[first - 1] == UInt8(ascii: "\r") ? "\r\n" : "\n"
    }
}
