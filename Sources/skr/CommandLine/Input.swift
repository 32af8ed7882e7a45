import CommandSupport
import Glibc
import Keyutils
import SystemPackage

/// Reads a whole file, or standard input, up to a limit.
enum InputFile {
    /// Reads the file at this path, or standard input if `path` is `nil`.
    static func read(_ path: String?, limit: Int) throws(CommandError) -> [UInt8] {
        let name = path.map(Display.quoted) ?? "standard input"
        do {
            guard let path else { return try readAll(.standardInput, name: name, limit: limit) }
            let file = try unsafe FileDescriptor.open(path, .readOnly, options: .closeOnExec)
            return try file.closeAfter { try readAll(file, name: name, limit: limit) }
        } catch let error as CommandError {
            throw error
        } catch {
            throw .usage("can't read \(name): \(error.reason)", hint: "check the path, and that you may read the file")
        }
    }

    /// - Parameter pieceSize: the number of bytes to read at once.
    static func readAll(
        _ file: FileDescriptor, name: @autoclosure () -> String, limit: Int, pieceSize: Int = 65_536
    ) throws -> [UInt8] {
        var content: [UInt8] = []
        while true {
            let piece = try unsafe [UInt8](unsafeUninitializedCapacity: pieceSize) { buffer, count in
                count = try unsafe file.readWaiting(into: UnsafeMutableRawBufferPointer(buffer))
            }
            if piece.isEmpty { return content }
            if content.isEmpty { content = piece } else { content += piece }
            guard content.count <= limit else {
                throw CommandError.data(
                    "\(name()) has more than \(limit >> 20) MiB", hint: "split it, or name another file")
            }
        }
    }
}
