import Glibc
package import SystemPackage

extension Errno {
    /// The error of this thread's last system call.
    package static var last: Errno { Errno(rawValue: errno) }
}

extension Error {
    /// The error's text, for the middle of a message.
    package var reason: String { "\(self)".lowercased() }
}

extension FileDescriptor {
    /// Writes all bytes.
    ///
    /// The `writeAll` for sequences makes generic types at run time, which takes longer than a get.
    package func writeAll(_ bytes: RawSpan) throws {
        try unsafe bytes.withUnsafeBytes { buffer in
            var count = 0
            while count < buffer.count {
                count += try unsafe write(UnsafeRawBufferPointer(rebasing: buffer[count...]))
            }
        }
    }
}
