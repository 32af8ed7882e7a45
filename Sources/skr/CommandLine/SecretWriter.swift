import Keyutils

/// Writes one thing behind the other into the memory of a secret.
@safe struct SecretWriter {
    private let buffer: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(_ buffer: UnsafeMutableRawBufferPointer) {
        unsafe self.buffer = unsafe buffer
    }

    mutating func append(_ byte: UInt8) {
        precondition(unsafe count < buffer.count, "more than there is room for")
        unsafe buffer[count] = byte
        count += 1
    }

    mutating func append(_ bytes: RawSpan) {
        precondition(unsafe bytes.byteCount <= buffer.count - count, "more than there is room for")
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
        }
        count += bytes.byteCount
    }
}

extension SecretBytes {
    /// What `write` appends, at most `capacity` bytes.
    init(capacity: Int, writing write: (inout SecretWriter) -> Void) {
        unsafe self.init(capacity: capacity) { buffer in
            var writer = unsafe SecretWriter(buffer)
            write(&writer)
            return writer.count
        }
    }
}
