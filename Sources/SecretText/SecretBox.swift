package import Keyutils

/// Secret bytes where a noncopyable type can't be: in a collection, or where there may be none.
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

    /// Whether it is UTF-8.
    package var isText: Bool { bytes.withBytes { $0.isText } }

    /// Whether it can be a value that ends at the end of its line.
    package var isOneLine: Bool { bytes.withBytes { $0.isOneLine } }

    /// The text of a name, in memory that nobody wipes; `nil` where it is not UTF-8.
    package var text: String? {
        bytes.withBytes { String(validating: $0) }
    }
}

extension RawSpan {
    /// Whether it is UTF-8, as all that stands in JSON must be.
    package var isText: Bool {
        unsafe withUnsafeBytes { bytes in
            let text = unsafe Span(_unsafeElements: bytes.assumingMemoryBound(to: UInt8.self))
            return (try? UTF8Span(validating: text)) != nil
        }
    }

    /// Whether it can be a value that ends at the end of its line.
    package var isOneLine: Bool {
        for offset in 0..<byteCount where self[offset] == UInt8(ascii: "\n") || self[offset] == 0 { return false }
        return true
    }
}

extension String {
    /// Whether it can be a value that ends at the end of its line.
    package var isOneLine: Bool { utf8.allSatisfy { $0 != UInt8(ascii: "\n") && $0 != 0 } }
}
