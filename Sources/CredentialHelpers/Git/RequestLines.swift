import SecretText

/// The lines of a request, up to an empty line or the end.
///
/// A byte order mark at the start is skipped. If the first line ends in a carriage return, carriage returns at the ends
/// of lines are removed. The last line doesn't need a line break.
package enum RequestLines {
    // An array of bounds would be slower: looking up its type at run time takes longer than reading a request.
    static func forEach(in bytes: RawSpan, _ body: (RawSpan) -> Void) {
        var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var hasReturns = true
        var isFirst = true
        while start < bytes.byteCount {
            let end = bytes.offset(of: UInt8(ascii: "\n"), from: start) ?? bytes.byteCount
            let endsInReturn = end > start && bytes[end - 1] == UInt8(ascii: "\r")
            if isFirst { (hasReturns, isFirst) = (endsInReturn, false) }
            let line = bytes.extracting(start..<(hasReturns && endsInReturn ? end - 1 : end))
            if line.isEmpty { return }
            body(line)
            start = end + 1
        }
    }

    /// Returns whether the last line ends in a line break and is empty.
    package static func endsEmpty(_ bytes: RawSpan) -> Bool {
        guard bytes.byteCount > 0, bytes[bytes.byteCount - 1] == UInt8(ascii: "\n") else { return false }
        var end = bytes.byteCount - 1
        if end > 0, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return end == 0 || bytes[end - 1] == UInt8(ascii: "\n")
    }
}
