import CommandSupport
import Glibc
import Keyutils
import SecretText
package import SessionKeyring

/// The output of a command and its exit code.
struct CachedAnswer {
    let exitCode: Int32
    let output: SecretBox
    /// The text that is printed, if it isn't the output itself.
    var answer: SecretBox?
    /// The stored output's key, its hash and the facts about it; `nil` for a failure or a new output.
    var known: KnownValue?

    /// Reads the stored result of this command: its output, unless somebody has refused it, or else a failure.
    ///
    /// - Parameters:
    ///   - command: a hash of its command line.
    ///   - isOfOneCommand: whether an output that somebody else has stored doesn't count.
    static func read(
        _ item: ItemIdentity, of command: UInt64, isOfOneCommand: Bool = true, in store: SecretStore
    ) throws(SecretStoreError) -> CachedAnswer? {
        var output: SecretBox?
        let known = try store.backend.readWithFacts(item) { bytes in output = SecretBox(copying: bytes) }
        if let output, let known, known.facts?.isRefused != true, !isOfOneCommand || known.facts?.command == command {
            return CachedAnswer(exitCode: 0, output: output, known: known)
        }
        return try store.lending(item.failure) { bytes in
            // A failure with exit code 0 is forged, and would be taken for an output that no list shows.
            guard bytes.byteCount >= failureHeader, bytes[0] != 0, bytes.word(at: 1) == command else { return nil }
            let output = SecretBytes(copying: bytes.extracting(droppingFirst: failureHeader))
            return CachedAnswer(exitCode: Int32(bytes[0]), output: SecretBox(output))
        } ?? nil
    }

    /// Returns whether the output of another command is stored under this name.
    static func isOfAnother(
        than command: UInt64, _ item: ItemIdentity, in store: SecretStore
    ) throws(SecretStoreError) -> Bool {
        let printer = try store.backend.readWithFacts(item) { _ in }?.facts?.command
        return printer.map { $0 != command } ?? false
    }

    /// The number of bytes before a failure's output: its exit code and a hash of the command line.
    private static let failureHeader = 9

    /// Stores this result as a failure of the command.
    func remember(
        for timeout: Duration, as item: ItemIdentity, of command: UInt64, in store: SecretStore
    ) throws(SecretStoreError) {
        let record = output.bytes.withBytes { bytes in
            SecretBytes(capacity: bytes.byteCount + Self.failureHeader) { record in
                record.append(UInt8(truncatingIfNeeded: exitCode))
                for byte in 0..<8 { record.append(UInt8(truncatingIfNeeded: command >> (8 * UInt64(byte)))) }
                record.append(bytes)
            }
        }
        try store.set(record, for: item.failure, lasting: Lifetime(timeout))
    }

    func write() throws(CommandError) {
        try (answer ?? output).bytes.withBytes { bytes throws(CommandError) in try Console.write(bytes) }
    }
}

/// An output for the caller, and how this process ends after it.
struct FetchedOutput {
    /// The output; `nil` if it was too large to keep and has already been passed on.
    let answer: CachedAnswer?
    /// The end of the command that was run and whose failure is the caller's.
    var end: ChildEnd?
    /// The reason why a good output could not be kept.
    var problem: CommandError?

    /// Prints the output and ends this process as the command ended.
    func printAndExit() throws(CommandError) -> Never {
        try answer?.write()
        end?.propagate()
        if let problem { throw problem }
        exit(answer?.exitCode ?? 0)
    }
}

extension SecretStoreError.Code {
    /// Whether another user owns the session.
    var isForeignSession: Bool {
        if case .foreignSession = self { true } else { false }
    }

    /// Whether the store has no room for the output.
    var isLackOfRoom: Bool {
        switch self {
        case .quotaExceeded, .tooLarge: true
        default: false
        }
    }

    /// Whether the output of a successful command is printed with a warning although it can't be kept.
    ///
    /// The reasons: the output is too large, the quota is full, other processes keep the item from being stored, this
    /// process was stopped for too long, or the session has ended.
    package var allowsUnkeptOutput: Bool {
        isLackOfRoom || self == .contended || self == .leaseLost || self == .sessionRevoked
    }
}

extension CommandError {
    /// Creates the warning that an output is not kept.
    init(notKeptBecause error: SecretStoreError) {
        let error = CommandError(error)
        self.init(exitCode: error.exitCode, message: "\(error.message); the output is not kept", hint: error.hint)
    }
}
