import Glibc

/// Reads a whole file of `/proc`, replacing bytes that are not UTF-8.
package func readProcFile(_ path: String) throws(KeyringError) -> String {
    let descriptor = try systemCall(.procfs) { unsafe open(path, O_RDONLY | O_CLOEXEC) }
    defer { close(descriptor) }
    var content: [UInt8] = []
    while true {
        var count = 0
        let piece = try unsafe [UInt8](typedUnsafeUninitializedCapacity: 4_096) { buffer throws(KeyringError) in
            count = try systemCall(.procfs) { unsafe read(descriptor, buffer.baseAddress, buffer.count) }
            return count
        }
        guard count > 0 else { return String(decoding: content, as: UTF8.self) }
        content += piece
    }
}
