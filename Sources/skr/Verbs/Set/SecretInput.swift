import CommandSupport
import Glibc
import Keyutils

/// Reads a secret from standard input into memory that is wiped, locked and kept out of core dumps.
enum SecretInput {
    static func readAll(droppingNewline: Bool) throws(CommandError) -> SecretBytes {
        let bytes = try readAll()
        return droppingNewline ? bytes.withoutTrailingNewline() : bytes
    }

    private static func readAll() throws(CommandError) -> SecretBytes {
        // Room for the largest ordinary secret and its newline: nearly all need one piece and two reads.
        let start = try unsafe SecretBytes(capacity: 32_768) { buffer throws(CommandError) in
            try unsafe fill(buffer, from: 0)
        }
        guard start.count == 32_768 else { return start }
        // One byte more than any key can hold, so that what is too large is told from what just fits.
        let whole = try unsafe SecretBytes(capacity: Key.largestBigPayload + 2) { buffer throws(CommandError) in
            start.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
            }
            return try unsafe fill(buffer, from: start.count)
        }
        guard whole.count < Key.largestBigPayload + 2 else {
            throw CommandError(
                exitCode: .internalError,
                message: "the secret has more than \(Key.largestBigPayload) bytes, which no key can hold",
                hint: "store a reference to it, or split it"
            )
        }
        return whole
    }

    /// Reads to the end of input or of the buffer, and returns how much of the buffer is filled.
    private static func fill(
        _ buffer: UnsafeMutableRawBufferPointer,
        from start: Int
    ) throws(CommandError) -> Int {
        var count = start
        while count < buffer.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let read = unsafe read(STDIN_FILENO, rest.baseAddress, rest.count)
            if read < 0 && errno == EINTR { continue }
            guard read >= 0 else {
                let reason = unsafe String(cString: strerror(errno))
                throw CommandError(
                    exitCode: .internalError, message: "can't read the secret: \(reason)",
                    hint: "pipe the secret in, or run it on a terminal"
                )
            }
            if read == 0 { break }
            count += read
        }
        return count
    }
}

extension SecretBytes {
    fileprivate consuming func withoutTrailingNewline() -> SecretBytes {
        let count = count
        let endsInNewline = withBytes { bytes in
            unsafe count > 0 && bytes.unsafeLoad(fromByteOffset: count - 1, as: UInt8.self) == UInt8(ascii: "\n")
        }
        guard endsInNewline else { return self }
        return withBytes { bytes in SecretBytes(copying: bytes.extracting(first: count - 1)) }
    }
}
