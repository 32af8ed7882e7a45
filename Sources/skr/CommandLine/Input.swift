import CommandSupport
import Glibc
import Keyutils
import SystemPackage

/// A whole file, or standard input, up to a limit.
enum InputFile {
    /// Reads the file of that path; without one, standard input.
    static func read(_ path: String?, limit: Int) throws(CommandError) -> [UInt8] {
        let name = path.map(Display.quoted) ?? "standard input"
        do {
            guard let path else { return try readAll(.standardInput, name: name, limit: limit) }
            let file = try unsafe FileDescriptor.open(path, .readOnly, options: .closeOnExec)
            return try file.closeAfter { try readAll(file, name: name, limit: limit) }
        } catch let error as CommandError {
            throw error
        } catch {
            throw .usage("can't read \(name): \(error.reason)", hint: "name a file that you may read")
        }
    }

    private static func readAll(_ file: FileDescriptor, name: String, limit: Int) throws -> [UInt8] {
        var content: [UInt8] = []
        while true {
            let piece = try unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                count = try unsafe file.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
            if piece.isEmpty { return content }
            content += piece
            guard content.count <= limit else {
                throw CommandError.data(
                    "\(name) has more than \(limit >> 20) MiB", hint: "split it, or name another file")
            }
        }
    }
}

extension SecretBytes {
    /// How much is read at first: the largest ordinary secret and its newline fit, so that nearly all take two reads.
    static let firstPiece = 32_768

    /// All that `read` puts into its buffer until there is no more, in memory that is wiped, locked and kept out of core
    /// dumps; of what is longer, `limit` bytes.
    static func readingAll(
        limit: Int, _ read: (UnsafeMutableRawBufferPointer) throws(Errno) -> Int
    ) throws(Errno) -> SecretBytes {
        let start = try unsafe SecretBytes(capacity: min(limit, firstPiece)) { buffer throws(Errno) in
            try unsafe fill(buffer, from: 0, read)
        }
        guard start.count == firstPiece, limit > firstPiece else { return start }
        return try unsafe SecretBytes(capacity: limit) { buffer throws(Errno) in
            start.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
            }
            return try unsafe fill(buffer, from: start.count, read)
        }
    }

    /// Reads to the end of input or of the buffer, and returns how much of the buffer is filled.
    private static func fill(
        _ buffer: UnsafeMutableRawBufferPointer, from start: Int,
        _ read: (UnsafeMutableRawBufferPointer) throws(Errno) -> Int
    ) throws(Errno) -> Int {
        var count = start
        while count < buffer.count {
            let more = try unsafe read(UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
            if more == 0 { break }
            count += more
        }
        return count
    }
}

extension FileDescriptor {
    /// A copy that is none of the standard descriptors: where one of those is closed, a new one takes its place.
    func duplicateAboveStandard(closesOnExec: Bool = true) throws(Errno) -> FileDescriptor {
        let copy = fcntl(rawValue, closesOnExec ? F_DUPFD_CLOEXEC : F_DUPFD, STDERR_FILENO + 1)
        guard copy >= 0 else { throw .last }
        return FileDescriptor(rawValue: copy)
    }

    /// As `read(into:)`, which throws nothing but an `Errno` either and does not say so.
    func readSome(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
        do {
            return try unsafe read(into: buffer)
        } catch {
            throw error as? Errno ?? .ioError
        }
    }
}
