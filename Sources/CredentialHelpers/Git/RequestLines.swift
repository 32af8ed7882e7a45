import SecretText

/// The lines of a request, up to an empty one or the end.
///
/// A byte order mark before them is none of theirs, and neither is the carriage return of a request in which the first line
/// has one; the last line needs no end.
package enum RequestLines {
    // No array of bounds: to make one, its type is looked up at run time, which takes longer than to read a request.
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

    /// Whether the last line is there with its end, and is an empty one.
    package static func endsEmpty(_ bytes: RawSpan) -> Bool {
        guard bytes.byteCount > 0, bytes[bytes.byteCount - 1] == UInt8(ascii: "\n") else { return false }
        var end = bytes.byteCount - 1
        if end > 0, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return end == 0 || bytes[end - 1] == UInt8(ascii: "\n")
    }
}
