/// The 64-bit hash FNV-1a, which is not safe against deliberate collisions.
package enum FNV1a {
    /// Returns the hash of these bytes.
    package static func hash(of bytes: RawSpan) -> UInt64 { hash(of: bytes, after: 0xCBF2_9CE4_8422_2325) }

    /// Returns the hash of earlier bytes and these bytes together.
    ///
    /// - Parameter start: the hash of the earlier bytes.
    package static func hash(of bytes: RawSpan, after start: UInt64) -> UInt64 {
        var hash = start
        for offset in 0..<bytes.byteCount {
            let byte = unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        return hash
    }
}
