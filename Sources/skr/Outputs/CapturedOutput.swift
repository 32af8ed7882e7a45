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

    /// Passes the rest of the output on to the caller, or drops it.
    mutating func drain(toCaller: Bool) throws(CommandError) {
        while true {
            let piece = try read(atMost: SecretBytes.firstPiece)
            if piece.isEmpty { return }
            if toCaller { try piece.withBytes { bytes throws(CommandError) in try Console.write(bytes) } }
        }
    }

    mutating func waitForEnd() -> ChildEnd { child.waitForEnd() }

    private mutating func read(atMost limit: Int) throws(CommandError) -> SecretBytes {
        if left.map({ $0 <= 0 }) ?? false { return SecretBytes(copying: []) }
        var count = 0
        do throws(Errno) {
            return try SecretBytes.reading(reader, limit: limit) { bytes in
                left = left.map { $0 - (bytes.byteCount - count) }
                count = bytes.byteCount
                return left.map { $0 <= 0 } ?? false
            } waiting: {
                if left == nil { waitForOutput() }
            }
        } catch {
            throw Self.failure(error)
        }
    }

    /// Waits until the next read returns something, or the end of the output.
    private mutating func waitForOutput() {
        guard !child.wait(for: reader) else { return }
        var count: CInt = 0
        _ = unsafe ioctl(reader.rawValue, UInt(FIONREAD), &count)
        left = Int(count)
        // From here on, this file has no more bytes.
        guard count == 0, let nothing = try? FileDescriptor.openNothing() else { return }
        _ = try? nothing.closeAfter { try nothing.duplicate(as: reader) }
    }

    private static func failure(_ error: Errno) -> CommandError {
        .internalError("can't read the command's output: \(error.reason)", hint: nil)
    }
}
