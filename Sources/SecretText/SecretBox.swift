package import Keyutils

/// Secret bytes for places where a noncopyable type can't be used, such as collections and optionals.
package final class SecretBox: Sendable {
    package let bytes: SecretBytes

    package init(_ bytes: consuming SecretBytes) {
        self.bytes = bytes
    }

    package convenience init(copying bytes: RawSpan) {
        self.init(SecretBytes(copying: bytes))
    }

    package var count: Int { bytes.count }

    package var hasNUL: Bool {
        bytes.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe $0.contains(0) } }
    }

    package func isEqual(to other: SecretBox) -> Bool { bytes.isEqual(to: other.bytes) }

    /// Whether the bytes are UTF-8.
    package var isText: Bool { bytes.withBytes { $0.isText } }

    /// Whether the secret fits on one line: it contains neither a newline nor NUL.
    package var isOneLine: Bool { bytes.withBytes { $0.isOneLine } }

    /// The bytes of a name as a string, which nobody wipes; `nil` if they are not UTF-8.
    package var text: String? {
        bytes.withBytes { String(validating: $0) }
    }
}

extension RawSpan {
    /// Whether the bytes are UTF-8, which JSON requires.
    package var isText: Bool {
        unsafe withUnsafeBytes { bytes in
            let text = unsafe Span(_unsafeElements: bytes.assumingMemoryBound(to: UInt8.self))
            return (try? UTF8Span(validating: text)) != nil
        }
    }

    /// Whether the bytes fit on one line: they contain neither a newline nor NUL.
    package var isOneLine: Bool {
        for offset in 0..<byteCount where self[offset] == UInt8(ascii: "\n") || self[offset] == 0 { return false }
        return true
    }
}

extension String {
    /// Whether the text fits on one line: it contains neither a newline nor NUL.
    package var isOneLine: Bool { utf8.allSatisfy { $0 != UInt8(ascii: "\n") && $0 != 0 } }
}
