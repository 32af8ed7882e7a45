extension SecretBytes {
    /// Fills a buffer with a call that returns the needed length, retrying with more room until everything fits.
    static func reading(
        _ operation: KeyringError.Operation,
        expecting expected: Int,
        _ call: (UnsafeMutableBufferPointer<CChar>) -> Int
    ) throws(KeyringError) -> SecretBytes {
        var capacity = max(1, expected)
        while true {
            var needed = 0
            let bytes = try unsafe SecretBytes(capacity: capacity) { buffer throws(KeyringError) in
                needed = try systemCall(operation) {
                    unsafe call(buffer.assumingMemoryBound(to: CChar.self))
                }
                return needed <= capacity ? needed : 0
            }
            if needed <= capacity { return bytes }
            capacity = needed
        }
    }
}
