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
        let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        var (start, end) = (range.lowerBound, range.upperBound)
        guard start == 0 || text[start - 1] == lineFeed else { return nil }
        guard end < text.byteCount else {
            // The newline before them was added too; lines may end in one way here and in another there.
            if start > 0 { start -= 1 }
            if start > 0, text[start] == lineFeed, text[start - 1] == carriageReturn { start -= 1 }
            return .edit(TextEdit(start..<end, ""))
        }
        if text[end] == carriageReturn { end += 1 }
        guard end < text.byteCount, text[end] == lineFeed else { return nil }
        end += 1
        return start == 0 && end == text.byteCount ? .wholeFile : .edit(TextEdit(start..<end, ""))
    }

    /// As its first line ends.
    private static func newline(of text: RawSpan) -> String {
        guard let first = text.offset(of: UInt8(ascii: "\n")), first > 0 else { return "\n" }
        return text[first - 1] == UInt8(ascii: "\r") ? "\r\n" : "\n"
    }
}
