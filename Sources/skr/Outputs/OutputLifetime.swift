import CommandSupport
import FoundationEssentials
import Keyutils
import SecretText

/// The lifetime of an output, as one of its fields states it.
package enum OutputLifetime {
    /// The largest number of seconds; a larger number is a Unix time.
    private static let longestNumber = 1_000_000_000.0
    /// Ten years with leap days, in seconds.
    ///
    /// No token lives longer, so a larger number means something else.
    private static let longest = 315_576_000.0

    /// Returns the shorter one of the timeout and of the lifetime that the output states at this path.
    static func limit(
        _ timeout: Duration?, by path: String?, of output: SecretBox
    ) throws(CommandError) -> Duration? {
        guard let path else { return timeout }
        let stated = try output.bytes.withBytes { bytes throws(CommandError) in try read(path, from: bytes) }
        return min(timeout ?? stated, stated)
    }

    /// Reads the lifetime from a field that holds a number of seconds, a Unix time, or a date and time.
    private static func read(_ path: String, from bytes: RawSpan) throws(CommandError) -> Duration {
        guard let seconds = try text(of: path, in: bytes).flatMap({ seconds($0, now: Date.now.timeIntervalSince1970) })
        else {
            throw failure(path, "the field is neither a number of seconds nor a time")
        }
        guard seconds >= 1 else {
            throw failure(path, "the time in the field has passed, or is less than a second away")
        }
        guard seconds <= longest else {
            throw failure(path, "the time in the field is more than 10 years away")
        }
        return .seconds(Int64(seconds))
    }

    /// Returns whether the text is names with dots between them, and possibly a dot before the first name.
    static func isPath(_ text: String) -> Bool {
        let names = text.utf8.first == UInt8(ascii: ".") ? text.utf8.dropFirst() : text.utf8[...]
        return !names.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).contains(where: \.isEmpty)
    }

    /// Returns the number of seconds from now; `nil` if the text is not a time.
    package static func seconds(_ text: String, now: Double) -> Double? {
        guard let number = Double(text) else { return DateTimeText.parse(text).map { $0 - now } }
        guard number.isFinite else { return nil }
        return number > longestNumber ? number - now : number
    }

    /// Returns the text of a number or a string; `nil` if it contains half of a surrogate pair.
    private static func text(of path: String, in bytes: RawSpan) throws(CommandError) -> String? {
        switch JSONField.find(JSONPath(path), in: bytes) {
        case .found(let text):
            return text.withBytes { String(validating: $0) }
        case .nothing: throw failure(path, "the output has no such field")
        case .noText: return nil
        case .notJSON: throw failure(path, "the output is not JSON")
        }
    }

    /// Returns an error that does not show the field's value, which could be a secret.
    private static func failure(_ path: String, _ problem: String) -> CommandError {
        .data(
            "--timeout-from-json \(Display.quoted(path)): \(problem)",
            hint: "the output was not kept; name the field with its lifetime, such as .expires_in "
                + "or .Credentials.Expiration")
    }
}
