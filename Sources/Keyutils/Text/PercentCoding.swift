/// Encodes any text for use between the colons of a key's description, and decodes it again.
///
/// It encodes `:` `%` `;`, white space, control and invisible characters, and a leading `.`. Everything else stays
/// readable in `keyctl show`. Each text has exactly one encoded form.
package enum PercentCoding {
    package static func encode(_ text: String) -> String {
        needsEncoding(text.utf8) ? encodeScalars(of: text) : text
    }

    /// Encodes a text that is not plain.
    ///
    /// This is a separate function so that plain names don't pay for loading the Unicode support.
    @inline(never)
    private static func encodeScalars(of text: String) -> String {
        var encoded = ""
        for (position, scalar) in text.unicodeScalars.enumerated() {
            if mustEncode(scalar) || (position == 0 && scalar == ".") {
                for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { encoded += escape(byte) }
            } else {
                encoded.unicodeScalars.append(scalar)
            }
        }
        return encoded
    }

    /// Decodes a text; `nil` unless `encode` could have written it.
    package static func decode(_ encoded: Substring) -> String? {
        guard encoded.utf8.contains(UInt8(ascii: "%")) else {
            let text = String(encoded)
            return needsEncoding(text.utf8) && encode(text).utf8.elementsEqual(text.utf8) == false ? nil : text
        }
        guard let bytes = bytes(of: encoded.utf8) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        return encode(text).utf8.elementsEqual(encoded.utf8) ? text : nil
    }

    /// Decodes bytes; `nil` if a `%`, or another escape character, is not followed by two hexadecimal digits.
    package static func bytes(
        of encoded: some Collection<UInt8>, escapedBy escape: UInt8 = UInt8(ascii: "%")
    ) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.count)
        var rest = encoded[...]
        while let byte = rest.popFirst() {
            guard byte == escape else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexDigitValue, let low = rest.popFirst()?.hexDigitValue else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The offset of the next colon or of the end; `nil` if something before it might be encoded.
    package static func endOfPlainPart(in bytes: RawSpan, from start: Int) -> Int? {
        for offset in start..<bytes.byteCount {
            let byte = unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            if byte == UInt8(ascii: ":") { return offset }
            guard !needsLook(byte), !(offset == start && byte == UInt8(ascii: ".")) else { return nil }
        }
        return bytes.byteCount
    }

    /// Whether a byte might have to be encoded, wherever it stands.
    private static func needsLook(_ byte: UInt8) -> Bool { byte >= 0x80 || mustEncode(ascii: byte) }

    /// Checks the bytes quickly, so that plain names avoid the walk over Unicode scalars.
    private static func needsEncoding(_ bytes: String.UTF8View) -> Bool {
        bytes.first == UInt8(ascii: ".") || bytes.contains(where: needsLook)
    }

    private static func mustEncode(ascii byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7F, UInt8(ascii: ":"), UInt8(ascii: "%"), UInt8(ascii: ";"): true
        default: false
        }
    }

    private static func mustEncode(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return mustEncode(ascii: UInt8(scalar.value)) }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: return true
        default: return false
        }
    }

    /// Encodes a byte as `%` and two hexadecimal digits.
    package static func escape(_ byte: UInt8) -> String {
        "%" + byte.hexadecimal(digits: 2, uppercase: true)
    }
}
