import CommandSupport
import Keyutils
import SystemPackage

/// The output of a command, in memory that is wiped, locked and kept out of core dumps.
struct CapturedOutput: ~Copyable {
    /// The largest number of bytes that a key can hold.
    private static let limit = Key.largestUserPayload

    /// The end of the pipe that the command writes to; `nil` after the command has started.
    private(set) var writer: FileDescriptor?
    private let reader: FileDescriptor

    init() throws(CommandError) {
        do throws(Errno) {
            (reader, writer) = try FileDescriptor.pipeAboveStandard()
        } catch {
            throw Self.failure(error)
        }
    }

    deinit {
        try? reader.close()
        try? writer?.close()
    }

    mutating func closeWriter() {
        try? writer?.close()
        writer = nil
    }

    /// Reads the output; one byte more than the limit if it is too large.
    func readAll(from child: inout ChildCommand) throws(CommandError) -> SecretBytes {
        try read(atMost: Self.limit + 1, from: &child)
    }

    static func isTooLarge(_ output: borrowing SecretBytes) -> Bool { output.count > limit }

    static var tooLarge: CommandError {
        .internalError(
            "the output has more than \(limit) bytes, the most that a key can hold",
            hint: "it is not kept; let CMD print only the part that you need")
    }

    /// Passes the rest of the output on to the caller, or drops it.
    func drain(from child: inout ChildCommand, toCaller: Bool) throws(CommandError) {
        while true {
            let piece = try read(atMost: SecretBytes.firstPiece, from: &child)
            if piece.isEmpty { return }
            if toCaller { try piece.withBytes { bytes throws(CommandError) in try Console.write(bytes) } }
        }
    }

    private func read(atMost limit: Int, from child: inout ChildCommand) throws(CommandError) -> SecretBytes {
        do throws(Errno) {
            return try SecretBytes.reading(reader, limit: limit, waiting: { child.wait(for: reader) })
        } catch {
            throw Self.failure(error)
        }
    }

    private static func failure(_ error: Errno) -> CommandError {
        .internalError("can't read the command's output: \(error.reason)", hint: nil)
    }
}
