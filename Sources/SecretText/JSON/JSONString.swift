import Keyutils

/// A string in a well-formed JSON text, without its quotes.
@safe struct JSONString {
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.bytes = unsafe bytes
    }

    /// Returns whether the decoded string is equal to this text.
    func says(_ text: [UInt8]) -> Bool {
        guard unsafe bytes.contains(UInt8(ascii: "\\")) else { return unsafe bytes.elementsEqual(text) }
        var isText = false
        let meaning = unsafe [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
            var text = unsafe SecretWriter(UnsafeMutableRawBufferPointer(buffer))
            isText = write(to: &text)
            count = text.count
        }
        return isText && meaning == text
    }

    /// Writes the decoded string, which is never longer than the encoded one; false for half of a surrogate pair.
    func write(to text: inout SecretWriter) -> Bool {
        var position = 0
        while unsafe position < bytes.count {
            let byte = unsafe bytes[position]
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                position += 1
                continue
            }
            guard let scalar = escaped(at: &position), let encoded = UTF8.encode(scalar) else { return false }
            for byte in encoded { text.append(byte) }
        }
        return true
    }

    /// Decodes the escape sequence at this position; `nil` for half of a surrogate pair.
    private func escaped(at position: inout Int) -> Unicode.Scalar? {
        let letter = unsafe bytes[position + 1]
        if let plain = Self.plainEscape(letter) {
            position += 2
            return Unicode.Scalar(plain)
        }
        let unit = codeUnit(at: &position)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard UTF16.isLeadSurrogate(UInt16(unit)), unsafe position + 6 <= bytes.count,
            unsafe bytes[position] == UInt8(ascii: "\\"), unsafe bytes[position + 1] == UInt8(ascii: "u")
        else { return nil }
        let other = codeUnit(at: &position)
        guard UTF16.isTrailSurrogate(UInt16(other)) else { return nil }
        return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (other - 0xDC00))
    }

    private func codeUnit(at position: inout Int) -> UInt32 {
        var unit: UInt32 = 0
        for offset in 2..<6 { unit = unsafe unit << 4 | UInt32(bytes[position + offset].hexDigitValue ?? 0) }
        position += 6
        return unit
    }

    /// Returns the character that a letter stands for after a backslash; `nil` for `u` and for unknown letters.
    static func plainEscape(_ letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }
}
