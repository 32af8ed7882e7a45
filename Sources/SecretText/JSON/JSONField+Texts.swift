import Keyutils

extension JSONField {
    /// Returns the text of a string; `nil` for any other value, half of a surrogate pair, or a path to nothing.
    package static func text(of path: JSONPath, in bytes: RawSpan) -> SecretBox? {
        guard firstByte(of: path, in: bytes) == UInt8(ascii: "\""), case .found(let text) = find(path, in: bytes) else {
            return nil
        }
        return SecretBox(text)
    }

    /// Returns a number, or the number in a string, rounded down; `nil` for anything else, and from 2^53 on.
    package static func integer(of path: JSONPath, in bytes: RawSpan) -> Int64? {
        guard case .found(let text) = find(path, in: bytes),
            let number = text.withBytes({ String(validating: $0) }).flatMap({ Double($0) }),
            number.magnitude < 0x1p53
        else { return nil }
        return Int64(number.rounded(.down))
    }

    /// Returns whether the text is a JSON object.
    package static func isObject(_ bytes: RawSpan) -> Bool {
        var position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while position < bytes.byteCount, bytes[position].isWhiteSpace { position += 1 }
        guard position < bytes.byteCount, bytes[position] == UInt8(ascii: "{") else { return false }
        if case .notJSON = find(JSONPath(""), in: bytes) { return false }
        return true
    }

    /// Returns the first byte of the value, which shows its type; `nil` without a value or for invalid JSON.
    package static func firstByte(of path: JSONPath, in bytes: RawSpan) -> UInt8? {
        unsafe bytes.withUnsafeBytes { text in
            guard let range = (try? unsafe JSONText.range(of: path, in: text)) ?? nil else { return nil }
            return unsafe text[range.lowerBound]
        }
    }
}
