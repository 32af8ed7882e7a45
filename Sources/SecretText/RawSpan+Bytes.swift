extension RawSpan {
    package subscript(_ offset: Int) -> UInt8 { unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

    /// Returns the next offset of this byte.
    package func offset(of byte: UInt8, from start: Int = 0) -> Int? {
        for offset in start..<byteCount where self[offset] == byte { return offset }
        return nil
    }

    /// The number of bytes, not counting a newline at the end.
    package var countWithoutNewline: Int {
        byteCount > 0 && self[byteCount - 1] == UInt8(ascii: "\n") ? byteCount - 1 : byteCount
    }

    package func starts(with bytes: [UInt8]) -> Bool {
        byteCount >= bytes.count && bytes.indices.allSatisfy { self[$0] == bytes[$0] }
    }
}

extension String {
    /// Creates a string from UTF-8; `nil` if the bytes are not UTF-8.
    package init?(validating bytes: RawSpan) {
        guard let text = unsafe bytes.withUnsafeBytes({ unsafe String(validating: $0, as: UTF8.self) }) else {
            return nil
        }
        self = text
    }

    /// Creates a string, replacing bytes that are not UTF-8.
    package init(lossy bytes: RawSpan) {
        self = unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
