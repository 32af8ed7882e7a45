import Keyutils

/// Writes JSON (RFC 8259) around secrets, which are not copied anywhere else.
extension SecretWriter {
    /// Appends a text in quotes; bytes that are not UTF-8 are not changed, so check `isText` first.
    package mutating func appendJSON(_ text: RawSpan) {
        append(UInt8(ascii: "\""))
        for offset in 0..<text.byteCount {
            let byte = unsafe text.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                append(UInt8(ascii: "\\"))
                append(byte)
            case UInt8(ascii: "\n"): append("\\n")
            case UInt8(ascii: "\r"): append("\\r")
            case UInt8(ascii: "\t"): append("\\t")
            case 0..<0x20, 0x7F:
                append("\\u" + byte.hexadecimal(digits: 4))
            default: append(byte)
            }
        }
        append(UInt8(ascii: "\""))
    }

    package mutating func appendJSON(_ text: String) {
        unsafe appendJSON(text.utf8Span.span.bytes)
    }

    package mutating func appendJSON(_ secret: SecretBox) {
        secret.bytes.withBytes { bytes in appendJSON(bytes) }
    }

    /// Appends JSON as it is, and then a text in quotes.
    package mutating func append(_ json: String, quoting text: String) {
        append(json)
        appendJSON(text)
    }

    /// Appends JSON as it is, and then a secret in quotes.
    package mutating func append(_ json: String, quoting secret: SecretBox) {
        append(json)
        appendJSON(secret)
    }

    /// Appends a name in quotes, and a colon.
    package mutating func appendJSON(name: String) {
        appendJSON(name)
        append(UInt8(ascii: ":"))
    }
}
