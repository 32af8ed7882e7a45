import Glibc
package import SystemPackage

extension Errno {
    /// Of the system call that this thread made last.
    package static var last: Errno { Errno(rawValue: errno) }
}

extension Error {
    /// A system's error as it stands in the middle of a message.
    package var reason: String { "\(self)".lowercased() }
}

extension FileDescriptor {
    /// Writes all of it.
    ///
    /// The library's own `writeAll` takes a sequence and makes its types at run time, which takes longer than a get.
    package func writeAll(_ bytes: RawSpan) throws {
        try unsafe bytes.withUnsafeBytes { buffer in
            var count = 0
            while count < buffer.count {
                count += try unsafe write(UnsafeRawBufferPointer(rebasing: buffer[count...]))
            }
        }
    }
}
