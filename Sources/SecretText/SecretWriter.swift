package import Keyutils

/// Appends pieces to the memory of a secret, or only counts their bytes.
@safe package struct SecretWriter {
    private let buffer: UnsafeMutableRawBufferPointer?
    package private(set) var count = 0

    /// - Parameter buffer: the memory to write to; `nil` to count only.
    package init(_ buffer: UnsafeMutableRawBufferPointer?) {
        unsafe self.buffer = unsafe buffer
    }

    package mutating func append(_ byte: UInt8) {
        if let buffer = unsafe buffer {
            precondition(count < buffer.count, "more than there is room for")
            unsafe buffer[count] = byte
        }
        count += 1
    }

    /// Replaces a byte that has been appended before.
    package func replace(at offset: Int, with byte: UInt8) {
        precondition(offset < count, "a byte that has not been appended")
        if let buffer = unsafe buffer { unsafe buffer[offset] = byte }
    }

    package mutating func append(_ bytes: RawSpan) {
        if let buffer = unsafe buffer {
            precondition(bytes.byteCount <= buffer.count - count, "more than there is room for")
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
            }
        }
        count += bytes.byteCount
    }

    package mutating func append(_ text: String) {
        unsafe append(text.utf8Span.span.bytes)
    }

    package mutating func append(_ secret: SecretBox) {
        secret.bytes.withBytes { bytes in append(bytes) }
    }
}

extension SecretBytes {
    /// Creates a secret from the bytes that `write` appends, at most `capacity`.
    package init(capacity: Int, writing write: (inout SecretWriter) -> Void) {
        unsafe self.init(capacity: capacity) { buffer in
            var writer = unsafe SecretWriter(buffer)
            write(&writer)
            return writer.count
        }
    }

    /// Creates a secret from the bytes that `write` appends; it is called once to count them, and again to write them.
    package init(_ write: (inout SecretWriter) -> Void) {
        var counter = unsafe SecretWriter(nil)
        write(&counter)
        self.init(capacity: counter.count, writing: write)
    }
}
