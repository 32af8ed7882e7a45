import Keyutils

/// The conversion of a secret's bytes to a key's payload.
///
/// The payload is the secret's own bytes, with one exception. The kernel refuses an empty payload, so a secret of n NUL
/// bytes, n >= 0, is stored as n + 1 NUL bytes.
enum PayloadEncoding {
    /// Lends the payload for these bytes to `body`.
    static func with<Result>(
        _ bytes: RawSpan,
        _ body: (RawSpan) throws(SecretStoreError) -> Result
    ) throws(SecretStoreError) -> Result {
        guard isAllZero(bytes) else { return try body(bytes) }
        let escaped = unsafe SecretBytes(capacity: bytes.byteCount + 1) { $0.count }
        return try escaped.withBytes(body)
    }

    /// Returns how many of the payload's bytes are the secret.
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
