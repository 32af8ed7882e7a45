import Glibc

/// A file of `/proc` that fits into 4 KiB.
enum SmallFile {
    /// Its first 4,096 bytes; `nil` where it can't be read.
    static func read(_ path: String) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var isRead = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
            while true {
                let length = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                if length < 0, errno == EINTR { continue }
                isRead = length > 0
                count = max(0, length)
                return
            }
        }
        return isRead ? bytes : nil
    }
}
