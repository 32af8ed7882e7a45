import CommandSupport
import CredentialHelpers
import Glibc
import Keyutils
package import SessionKeyring

/// What a command has printed, and its exit code.
struct CachedAnswer {
    let exitCode: Int32
    let output: SecretBox
    /// What is printed, where that is something else.
    var answer: SecretBox?

    /// What is stored: the output, else a failure.
    static func read(_ item: ItemIdentity, in store: SecretStore) throws(SecretStoreError) -> CachedAnswer? {
        if let output = try store.get(item) { return CachedAnswer(exitCode: 0, output: SecretBox(output)) }
        return try store.withBytes(of: item.failureSentinel) { bytes in
            guard bytes.byteCount > 0 else { return nil }
            let code = unsafe bytes.unsafeLoad(fromByteOffset: 0, as: UInt8.self)
            let output = SecretBytes(copying: bytes.extracting(droppingFirst: 1))
            return CachedAnswer(exitCode: Int32(code), output: SecretBox(output))
        } ?? nil
    }

    /// Stores this failure, with the exit code first.
    func remember(for timeout: Duration, as item: ItemIdentity, in store: SecretStore) throws(SecretStoreError) {
        let record = output.bytes.withBytes { bytes in
            SecretBytes(capacity: bytes.byteCount + 1) { record in
                record.append(UInt8(truncatingIfNeeded: exitCode))
                record.append(bytes)
            }
        }
        try store.set(record, for: item.failureSentinel, timeout: timeout)
    }

    func write() throws(CommandError) {
        try (answer ?? output).bytes.withBytes { bytes throws(CommandError) in try Console.write(bytes) }
    }

    /// Ends this process with the command's output and exit code.
    func printAndExit() throws(CommandError) -> Never {
        try write()
        exit(exitCode)
    }
}

extension SecretStoreError.Code {
    /// Whether there is no room for the output.
    var isLackOfRoom: Bool {
        switch self {
        case .quotaExceeded, .tooLarge: true
        default: false
        }
    }

    /// Whether the output could not be kept because of its size, or of what others store: the command itself has
    /// succeeded.
    package var allowsUnkeptOutput: Bool { isLackOfRoom || self == .contended }
}

extension CommandError {
    /// The warning that an output is not kept.
    init(notKeptBecause error: SecretStoreError) {
        let error = CommandError(error)
        self.init(exitCode: error.exitCode, message: "\(error.message); the output is not kept", hint: error.hint)
    }
}
