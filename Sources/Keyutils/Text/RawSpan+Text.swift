import Glibc

extension RawSpan {
    /// The little-endian number of 8 bytes at this offset.
    package func word(at offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Whether these are exactly the bytes of that text.
    package func holds(_ text: StaticString) -> Bool {
        guard byteCount == text.utf8CodeUnitCount else { return false }
        return unsafe withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return true }
            return unsafe memcmp(start, text.utf8Start, bytes.count) == 0
        }
    }
}
