import CommandSupport
import Glibc
import Keyutils
import SecretText
import SessionKeyring
import SystemPackage

/// A running command and its output, in memory that is wiped, locked and kept out of core dumps.
///
/// When the command has ended, its output is what was printed until then: a program that it left in the background can
/// have the pipe open for much longer.
struct CapturedOutput: ~Copyable {
    /// The largest number of bytes that a key can hold.
    private static let limit = Key.largestUserPayload

    private let reader: FileDescriptor
    private var child: ChildCommand
    /// The number of bytes that are left after the command's end; `nil` while it runs.
    private var left: Int?

    /// Starts the command.
    init(
        of command: CommandLineWords, _ settings: ChildSettings, input: FileDescriptor?,
        holding signals: BlockedSignals,
        renewer: LeaseRenewer
    ) throws(CommandError) {
        let pipe: (reader: FileDescriptor, writer: FileDescriptor)
        do throws(Errno) {
            pipe = try FileDescriptor.pipeAboveStandard()
        } catch {
            throw Self.failure(error)
        }
        defer { try? pipe.writer.close() }
        do throws(CommandError) {
            child = try ChildCommand(
                command, settings, input: input, output: pipe, holding: signals, renewer: renewer)
        } catch {
            try? pipe.reader.close()
            throw error
        }
        reader = pipe.reader
    }

    deinit { try? reader.close() }

    /// Reads the output; one byte more than the limit if it is too large.
    mutating func readAll() throws(CommandError) -> SecretBytes { try read(atMost: Self.limit + 1) }

    static func isTooLarge(_ output: borrowing SecretBytes) -> Bool { output.count > limit }

    static var tooLarge: CommandError {
        .internalError(
            "the output has more than \(limit) bytes, the most that a key can hold",
            hint: "it is not kept; let CMD print only the part that you need")
    }

    /// Drops the rest of the output.
    mutating func drain() throws(CommandError) { while try !read(atMost: SecretBytes.firstPiece).isEmpty {} }

    /// Passes this beginning of the output and its rest on to the caller, until a signal or the limit ends the command.
    mutating func passOn(_ beginning: consuming SecretBytes) throws(CommandError) {
        var piece = beginning
        while !piece.isEmpty {
            guard try write(piece) else { return }
            piece = try read(atMost: SecretBytes.firstPiece)
        }
    }

    /// Writes to our standard output; returns false if a signal or the limit has ended the command.
    private mutating func write(_ piece: borrowing SecretBytes) throws(CommandError) -> Bool {
        // A pipe that can be written has room for that many bytes (PIPE_BUF), so a slow reader doesn't keep us from
        // receiving signals.
        let size = 4_096
        var position = 0
        while position < piece.count {
            guard child.wait(toWrite: .standardOutput) else { return false }
            let end = min(position + size, piece.count)
            try piece.withBytes { bytes throws(CommandError) in try Console.write(bytes.extracting(position..<end)) }
            position = end
        }
        return true
    }

    mutating func waitForEnd() -> ChildEnd { child.waitForEnd() }

    private mutating func read(atMost limit: Int) throws(CommandError) -> SecretBytes {
        var count = 0
        do throws(Errno) {
            return try SecretBytes.reading(reader, limit: limit) { bytes in
                left = left.map { $0 - (bytes.byteCount - count) }
                count = bytes.byteCount
                return left == 0
            } waiting: { () throws(Errno) in
                try waitForOutput()
            }
        } catch {
            throw Self.failure(error)
        }
    }

    /// Waits until the next read returns something; returns how much it can be, 0 after the command's end.
    private mutating func waitForOutput() throws(Errno) -> Int {
        if let left { return left }
        guard !child.wait(for: reader) else { return .max }
        var count: CInt = 0
        guard unsafe ioctl(reader.rawValue, UInt(FIONREAD), &count) == 0 else { throw .last }
        left = Int(count)
        return Int(count)
    }

    private static func failure(_ error: Errno) -> CommandError {
        .internalError("can't read the command's output: \(error.reason)", hint: nil)
    }
}
