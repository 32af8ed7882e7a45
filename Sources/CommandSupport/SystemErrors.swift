import Glibc
package import SystemPackage

extension Errno {
    /// The error of this thread's last system call.
    package static var last: Errno { Errno(rawValue: errno) }
}

extension Error {
    /// The error's text in lower case, for the middle of a message.
    package var reason: String { "\(self)".lowercased() }
}

extension FileDescriptor {
    /// Writes all bytes, even to a non-blocking descriptor.
    ///
    /// If a file would grow beyond `RLIMIT_FSIZE`, this throws an error, and no signal ends the process.
    ///
    /// swift-system's `writeAll` for sequences makes generic types at run time, which takes longer than a get.
    package func writeAll(_ bytes: RawSpan) throws {
        SignalAction.surviveFileSizeLimit
        try unsafe bytes.withUnsafeBytes { buffer in
            var count = 0
            while count < buffer.count {
                do {
                    count += try unsafe write(UnsafeRawBufferPointer(rebasing: buffer[count...]))
                } catch {
                    guard try waitIfBusy(error, for: POLLOUT) else { throw error }
                }
            }
        }
    }

    /// Reads available bytes, waiting for them even on a non-blocking descriptor; returns 0 at the end.
    package func readWaiting(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
        while true {
            do {
                return try unsafe read(into: buffer)
            } catch {
                guard try waitIfBusy(error, for: POLLIN) else { throw error as? Errno ?? .ioError }
            }
        }
    }

    /// Waits if the error is that a non-blocking descriptor isn't ready; returns false for other errors.
    private func waitIfBusy(_ error: any Error, for event: CInt) throws(Errno) -> Bool {
        guard error as? Errno == .resourceTemporarilyUnavailable else { return false }
        var wanted = pollfd(fd: rawValue, events: Int16(event), revents: 0)
        guard unsafe poll(&wanted, 1, -1) >= 0 || errno == EINTR else { throw .last }
        return true
    }
}
