import Glibc
package import Keyutils
package import SystemPackage

extension SecretBytes {
    /// The usual size of the first buffer in bytes, enough for the largest ordinary secret and its newline.
    ///
    /// With this size, most inputs take two reads.
    package static let firstPiece = 32_768

    /// Reads until the end of the input, or until `limit` bytes have been read.
    ///
    /// The bytes are only in memory that is wiped, locked and kept out of core dumps.
    ///
    /// - Parameters:
    ///   - first: the size of the first buffer. If the input is longer, the bytes are copied into a larger buffer.
    ///   - isComplete: returns whether the bytes so far are the whole input, for callers that don't wait for the end.
    ///   - wait: called before each read; returns the most bytes to read, 0 for the end.
    package static func reading(
        _ file: FileDescriptor, limit: Int, first: Int = firstPiece,
        until isComplete: (RawSpan) -> Bool = { _ in false },
        waiting wait: () throws(Errno) -> Int = { .max }
    ) throws(Errno) -> SecretBytes {
        func fill(_ buffer: UnsafeMutableRawBufferPointer, from start: Int) throws(Errno) -> Int {
            var count = start
            while count < buffer.count {
                let end = count + min(try wait(), buffer.count - count)
                if end == count { break }
                let more = try unsafe file.readWaiting(
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[count..<end]))
                if more == 0 { break }
                count += more
                if unsafe isComplete(UnsafeRawBufferPointer(rebasing: buffer[..<count]).bytes) { break }
            }
            return count
        }
        let start = try unsafe SecretBytes(capacity: min(limit, first)) { buffer throws(Errno) in
            try unsafe fill(buffer, from: 0)
        }
        guard start.count == first, limit > first, !start.withBytes(isComplete) else { return start }
        return try unsafe SecretBytes(capacity: limit) { buffer throws(Errno) in
            start.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) } }
            return try unsafe fill(buffer, from: start.count)
        }
    }
}

extension FileDescriptor {
    /// Returns a duplicate that isn't a standard descriptor.
    ///
    /// The original can be one: if a standard descriptor is closed, the next opened file gets its number.
    package func duplicateAboveStandard(closesOnExec: Bool = true) throws(Errno) -> FileDescriptor {
        let copy = fcntl(rawValue, closesOnExec ? F_DUPFD_CLOEXEC : F_DUPFD, STDERR_FILENO + 1)
        guard copy >= 0 else { throw .last }
        return FileDescriptor(rawValue: copy)
    }

    /// Opens `/dev/null` as an input, with a descriptor that isn't a standard one.
    package static func openNothing() throws(Errno) -> FileDescriptor {
        let descriptor = unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last }
        defer { Glibc.close(descriptor) }
        return try FileDescriptor(rawValue: descriptor).duplicateAboveStandard()
    }

    /// Returns the ends of a new pipe, with descriptors that aren't standard ones.
    package static func pipeAboveStandard() throws(Errno) -> (reader: FileDescriptor, writer: FileDescriptor) {
        let pipe = try FileDescriptor.pipe(options: .closeOnExec)
        defer {
            try? pipe.readEnd.close()
            try? pipe.writeEnd.close()
        }
        let reader = try pipe.readEnd.duplicateAboveStandard()
        do {
            return (reader, try pipe.writeEnd.duplicateAboveStandard())
        } catch {
            try? reader.close()
            throw error
        }
    }
}
