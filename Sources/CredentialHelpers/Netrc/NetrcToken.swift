import Keyutils
import SecretText

/// Writes values into a netrc in the syntax that curl reads from 7.84 on.
extension SecretWriter {
    /// Appends a value, in quotes only if it needs them: few other programs understand quotes.
    mutating func appendNetrc(_ value: SecretBox) {
        value.bytes.withBytes { bytes in
            guard bytes.needsQuotes else { return append(bytes) }
            append("\"")
            for offset in 0..<bytes.byteCount {
                switch bytes[offset] {
                case UInt8(ascii: "\n"): append("\\n")
                case UInt8(ascii: "\r"): append("\\r")
                case UInt8(ascii: "\t"): append("\\t")
                case let byte:
                    if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { append("\\") }
                    append(byte)
                }
            }
            append("\"")
        }
    }
}

extension RawSpan {
    fileprivate var needsQuotes: Bool {
        for offset in 0..<byteCount {
            switch self[offset] {
            case 0...0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "#"): return true
            default: continue
            }
        }
        return isEmpty
    }
}
