import Keyutils

extension SecretWriter {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Appends the bytes in base64 (RFC 4648, section 4), with padding.
    package mutating func appendBase64(_ bytes: RawSpan) {
        for start in stride(from: 0, to: bytes.byteCount, by: 3) {
            let count = min(3, bytes.byteCount - start)
            var group = 0
            for offset in 0..<3 { group = group << 8 | (offset < count ? Int(bytes[start + offset]) : 0) }
            for position in 0..<4 {
                let letter = Self.alphabet[group >> (18 - 6 * position) & 0x3F]
                append(position <= count ? letter : UInt8(ascii: "="))
            }
        }
    }
}
