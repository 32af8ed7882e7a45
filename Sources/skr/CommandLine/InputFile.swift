import CommandSupport
import Glibc

/// A whole file, or standard input, up to a limit.
enum InputFile {
    /// Reads the file of that path; without one, standard input.
    static func read(_ path: String?, limit: Int) throws(CommandError) -> [UInt8] {
        let name = path.map(Display.quoted) ?? "standard input"
        guard let path else { return try readAll(STDIN_FILENO, name: name, limit: limit) }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(name) }
        defer { close(descriptor) }
        return try readAll(descriptor, name: name, limit: limit)
    }

    private static func readAll(_ descriptor: CInt, name: String, limit: Int) throws(CommandError) -> [UInt8] {
        var content: [UInt8] = []
        while true {
            var count = 0
            let piece = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, filled in
                repeat {
                    count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                } while count < 0 && errno == EINTR
                filled = max(0, count)
            }
            guard count >= 0 else { throw unreadable(name) }
            if count == 0 { return content }
            content += piece
            guard content.count <= limit else {
                throw CommandError(
                    exitCode: .data, message: "\(name) has more than \(limit >> 20) MiB",
                    hint: "split it, or name another file")
            }
        }
    }

    private static func unreadable(_ name: String) -> CommandError {
        let reason = unsafe String(cString: strerror(errno)).lowercased()
        return .usage("can't read \(name): \(reason)", hint: "name a file that you may read")
    }
}
