import CommandSupport
import CLinux
import Glibc
import Keyutils

/// What a command prints, in memory that is wiped, locked and kept out of core dumps.
struct CapturedOutput: ~Copyable {
    /// The most that any key can hold.
    private static let limit = Key.largestBigPayload

    /// Where the command writes; closed once it has been started.
    private(set) var writer: CInt
    private let reader: CInt

    init() throws(CommandError) {
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else { throw Self.failure() }
        // Where a standard descriptor is closed, the pipe must not take its place.
        let moved = ends.map { fcntl($0, F_DUPFD_CLOEXEC, 3) }
        for end in ends { close(end) }
        guard moved.allSatisfy({ $0 >= 0 }) else { throw Self.failure() }
        (reader, writer) = (moved[0], moved[1])
    }

    deinit {
        close(reader)
        if writer >= 0 { close(writer) }
    }

    mutating func closeWriter() {
        close(writer)
        writer = -1
    }

    /// Everything up to the end; one byte more than the limit where there is more.
    func readAll(from child: inout ChildCommand) throws(CommandError) -> SecretBytes {
        // Nearly all commands print less than this.
        let start = try unsafe SecretBytes(capacity: 32_768) { buffer throws(CommandError) in
            try unsafe fill(buffer, from: 0, of: &child)
        }
        guard start.count == 32_768 else { return start }
        return try unsafe SecretBytes(capacity: Self.limit + 1) { buffer throws(CommandError) in
            start.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
            }
            return try unsafe fill(buffer, from: start.count, of: &child)
        }
    }

    static func isTooLarge(_ output: borrowing SecretBytes) -> Bool { output.count > limit }

    static var tooLarge: CommandError {
        CommandError(
            exitCode: .internalError, message: "the output has more than \(limit) bytes, which no key can hold",
            hint: "it is not kept; cache a smaller part of it")
    }

    /// Hands the rest on, to nobody if need be.
    func drain(from child: inout ChildCommand, to descriptor: CInt?) throws(CommandError) {
        while true {
            let piece = try unsafe SecretBytes(capacity: 32_768) { buffer throws(CommandError) in
                try unsafe fill(buffer, from: 0, of: &child)
            }
            if piece.isEmpty { return }
            if descriptor != nil { try piece.withBytes { bytes throws(CommandError) in try Console.write(bytes) } }
        }
    }

    private func fill(
        _ buffer: UnsafeMutableRawBufferPointer,
        from start: Int,
        of child: inout ChildCommand
    ) throws(CommandError) -> Int {
        var count = start
        while count < buffer.count {
            child.wait(for: reader)
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let read = unsafe read(reader, rest.baseAddress, rest.count)
            if read < 0 && errno == EINTR { continue }
            guard read >= 0 else { throw Self.failure() }
            if read == 0 { break }
            count += read
        }
        return count
    }

    private static func failure() -> CommandError {
        let reason = unsafe String(cString: strerror(errno)).lowercased()
        return CommandError(exitCode: .internalError, message: "can't read the command's output: \(reason)", hint: nil)
    }
}
