import CommandSupport
import CredentialHelpers
import Glibc
import Keyutils
import SecretText
package import SessionKeyring

/// The output of a command and its exit code.
///
/// A class, because the optional of such a structure would build metadata at each start.
final class Output {
    let exitCode: Int32
    /// The bytes that are kept.
    let bytes: SecretBox
    /// The bytes that the caller gets: the kept ones, or another form of them.
    let answer: SecretBox
    /// When the answer ends, in seconds since 1970; `nil` if that is unknown, or if nothing ends it.
    let end: Int64?
    /// The stored output's key, its hash and the facts about it; `nil` for a failure or a new output.
    let known: KnownValue?

    init(exitCode: Int32 = 0, _ bytes: SecretBox, answer: SecretBox? = nil, end: Int64? = nil, known: KnownValue? = nil)
    {
        (self.exitCode, self.bytes, self.answer) = (exitCode, bytes, answer ?? bytes)
        (self.end, self.known) = (end, known)
    }

    /// A failure without output.
    static func failure(_ exitCode: Int32) -> Output { Output(exitCode: exitCode, SecretBox(copying: RawSpan())) }

    /// Reads the stored result of this command: its output, unless somebody has refused it, or else a failure.
    ///
    /// - Parameters:
    ///   - command: a hash of its command line.
    ///   - sameness: whether an output that somebody else has stored counts.
    static func read(
        _ item: ItemIdentity, of command: UInt64, _ sameness: OutputPolicy.Sameness = .commandLine,
        in store: SecretStore
    ) throws(SecretStoreError) -> Output? {
        var output: SecretBox?
        let known = try store.backend.readWithFacts(item) { bytes in output = SecretBox(copying: bytes) }
        if let output, let known, known.facts?.isRefused != true, sameness == .name || known.facts?.command == command {
            return Output(output, known: known)
        }
        return try store.lending(item.failure) { bytes in
            // A failure with exit code 0 is forged, and would be taken for an output that no list shows.
            guard bytes.byteCount >= failureHeader, bytes[0] != 0, bytes.word(at: 1) == command else { return nil }
            let output = SecretBytes(copying: bytes.extracting(droppingFirst: failureHeader))
            return Output(exitCode: Int32(bytes[0]), SecretBox(output))
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
        let record = self.bytes.bytes.withBytes { bytes in
            SecretBytes(capacity: bytes.byteCount + Self.failureHeader) { record in
                record.append(UInt8(truncatingIfNeeded: exitCode))
                for byte in 0..<8 { record.append(UInt8(truncatingIfNeeded: command >> (8 * UInt64(byte)))) }
                record.append(bytes)
            }
        }
        try store.set(record, for: item.failure, lasting: Lifetime(timeout))
    }

    func write() throws(CommandError) {
        try answer.bytes.withBytes { bytes throws(CommandError) in try Console.write(bytes) }
    }
}

/// An output for the caller, and how this process ends after it.
struct FetchedOutput {
    /// The output; `nil` if it was too large to keep and has already been passed on.
    let output: Output?
    /// The end of the command that was run and whose failure is the caller's.
    var end: ChildEnd?
    /// The reason why a good output could not be kept.
    var problem: CommandError?

    /// Prints the output and ends this process as the command ended.
    func printAndExit() throws(CommandError) -> Never {
        try output?.write()
        end?.propagate()
        if let problem { throw problem }
        exit(output?.exitCode ?? 0)
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

    /// Creates the warning that the output of this item is not kept, although it can be used.
    init(notKept item: ItemIdentity, because reason: String) {
        self.init(
            exitCode: .tryAgain, message: "\(Display.name(of: item)): \(reason); the output is not kept",
            hint: "nothing to do: the next reader runs the command again")
    }
}

extension SecretStore {
    /// Whether there is an item of this service and account, of whatever kind, whose secret has not expired.
    func hasSecret(of item: ItemIdentity) throws(SecretStoreError) -> Bool {
        for kind in ItemIdentity.Kind.ofSecrets {
            let item = ItemIdentity(kind, service: item.service, account: item.account)
            if kind != .credential, try contains(item) { return true }
            if kind == .credential, let bytes = try self.bytes(of: item) {
                return CredentialRecord(SecretBox(bytes), of: item)?.isOver != true
            }
        }
        return false
    }
}

extension CredentialRecord {
    /// Whether the secret has expired; a record with a refresh token outlives its secret.
    var isOver: Bool { expires.map { $0 <= CredentialHelper.time() } ?? false }
}
