import Keyutils

/// How a secret's bytes become a key's payload: as they are, with one exception.
///
/// The kernel refuses an empty payload, so a secret of n NUL bytes, n >= 0, is stored as n + 1 of them.
enum PayloadEncoding {
    /// Lends the payload for these bytes.
    static func with<Result>(
        _ bytes: RawSpan,
        _ body: (RawSpan) throws(SecretStoreError) -> Result
    ) throws(SecretStoreError) -> Result {
        guard isAllZero(bytes) else { return try body(bytes) }
        let escaped = unsafe SecretBytes(capacity: bytes.byteCount + 1) { $0.count }
        return try escaped.withBytes(body)
    }

    /// How many of the payload's bytes are the secret.
    static func secretSize(_ payload: RawSpan) -> Int {
        isAllZero(payload) ? max(0, payload.byteCount - 1) : payload.byteCount
    }

    @inline(__always)
    private static func isAllZero(_ bytes: RawSpan) -> Bool {
        for offset in 0..<bytes.byteCount where unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) != 0 {
            return false
        }
        return true
    }
}
