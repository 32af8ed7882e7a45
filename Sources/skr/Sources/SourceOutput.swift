import CommandSupport
import CredentialHelpers
import SecretText
import SessionKeyring

/// The output of a source's command, of which the declared part is stored and answered.
final class SourceOutput: OutputForm {
    private let source: Source
    let settings: ChildSettings

    init(_ source: Source, settings: ChildSettings, warns: Bool) {
        (self.source, self.settings, self.warns) = (source, settings, warns)
    }

    let warns: Bool
    let isOfOneCommand = false
    /// A command that has to be killed runs longer than its limit.
    var waitLimit: Duration { source.limit + TimeLimit.usualGrace * 2 }

    // Only one thread uses these.
    /// The end of the new secret, in seconds since 1970; `nil` if the command was not run, or nothing ends the secret.
    private(set) nonisolated(unsafe) var end: Int64?
    private nonisolated(unsafe) var noteTime: ContinuousClock.Instant? = .now + .seconds(1)

    /// Tells a person, after a second, what is being waited for.
    func noteWait() {
        guard let time = unsafe noteTime, time <= .now, Console.isErrorTerminal else { return }
        unsafe noteTime = nil
        Console.note("\(Display.name(of: source.item)): another process runs its source; waiting for it")
    }

    func answer(
        fresh printed: CachedAnswer, keptFor timeout: Duration?
    ) throws(CommandError) -> (CachedAnswer, Duration?) {
        let secret = try printed.output.bytes.withBytes { bytes throws(CommandError) in try part(of: bytes) }
        guard secret.count > 0 else {
            throw .data("the command printed no secret", hint: "run the command by hand, and look at its output")
        }
        let left = try OutputLifetime.limit(timeout, by: source.lifetimePath, of: printed.output)
        unsafe end = left.map { CredentialHelper.time() + $0.components.seconds }
        return (CachedAnswer(exitCode: 0, output: SecretBox(secret)), left.map { $0 - source.endEarly })
    }

    func answer(kept: CachedAnswer, endingAt end: () -> Int64?) -> CachedAnswer? { kept }

    private func part(of bytes: RawSpan) throws(CommandError) -> SecretBytes {
        let end: Int
        switch source.part {
        case .raw: end = bytes.byteCount
        case .text: end = bytes.countWithoutNewline
        case .firstLine: end = bytes.offset(of: UInt8(ascii: "\n")) ?? bytes.byteCount
        case .field(let path): return try JSONField.extract(path, from: bytes, of: "the output")
        }
        return SecretBytes(copying: bytes.extracting(first: end))
    }
}
