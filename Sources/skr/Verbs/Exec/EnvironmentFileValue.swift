/// What stands behind the `=` of a `.env` line.
enum EnvironmentFileValue {
    static func parse(_ text: ArraySlice<UInt8>) throws(EnvironmentFile.Problem) -> [UInt8] {
        let value = text.drop(while: EnvironmentFile.isBlank)
        switch value.first {
        case UInt8(ascii: "'"): return try singleQuoted(value.dropFirst())
        case UInt8(ascii: "\""): return try doubleQuoted(value.dropFirst())
        // With the blanks before it, behind which a '#' begins a comment.
        default: return bare(text)
        }
    }

    private static func bare(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var value: [UInt8] = []
        var isBehindBlank = false
        for byte in text {
            if byte == UInt8(ascii: "#") && isBehindBlank { break }
            isBehindBlank = EnvironmentFile.isBlank(byte)
            value.append(byte)
        }
        while let last = value.last, EnvironmentFile.isBlank(last) { value.removeLast() }
        return Array(value.drop(while: EnvironmentFile.isBlank))
    }

    private static func singleQuoted(_ text: ArraySlice<UInt8>) throws(EnvironmentFile.Problem) -> [UInt8] {
        let value = text.prefix { $0 != UInt8(ascii: "'") }
        guard value.endIndex < text.endIndex else { throw .openQuote }
        try requireEnd(text[(value.endIndex + 1)...])
        return Array(value)
    }

    private static func doubleQuoted(_ text: ArraySlice<UInt8>) throws(EnvironmentFile.Problem) -> [UInt8] {
        var value: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                try requireEnd(rest)
                return value
            case UInt8(ascii: "\\"):
                guard let next = rest.popFirst() else { throw .openQuote }
                value += escaped(next)
            default: value.append(byte)
            }
        }
        throw .openQuote
    }

    private static func escaped(_ byte: UInt8) -> [UInt8] {
        switch byte {
        case UInt8(ascii: "n"): [UInt8(ascii: "\n")]
        case UInt8(ascii: "r"): [UInt8(ascii: "\r")]
        case UInt8(ascii: "t"): [UInt8(ascii: "\t")]
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "$"): [byte]
        default: [UInt8(ascii: "\\"), byte]
        }
    }

    private static func requireEnd(_ text: ArraySlice<UInt8>) throws(EnvironmentFile.Problem) {
        let rest = text.drop(while: EnvironmentFile.isBlank)
        guard rest.isEmpty || rest.first == UInt8(ascii: "#") else { throw .textBehindQuote }
    }
}
