import CommandSupport
import FoundationEssentials
import Keyutils
import SecretText

/// How long an output is valid, as it says itself.
package enum OutputLifetime {
    /// A larger number is a Unix time, not a number of seconds to live.
    private static let longestNumber = 1_000_000_000.0
    /// Ten years with leap days: no token lives longer, so a larger number is some other time.
    private static let longest = 315_576_000.0

    /// From a field that holds a number of seconds, a Unix time, or a date and time.
    static func read(_ path: String, from bytes: RawSpan) throws(CommandError) -> Duration {
        guard let seconds = try text(of: path, in: bytes).flatMap({ seconds($0, now: Date.now.timeIntervalSince1970) })
        else {
            throw failure(path, "the field is neither a number of seconds nor a time")
        }
        guard seconds >= 1 else { throw failure(path, "the time that the field tells is over") }
        guard seconds <= longest else {
            throw failure(path, "the time that the field tells is more than 10 years away")
        }
        return .seconds(Int64(seconds))
    }

    /// How long from now; `nil` for a text that is no time.
    package static func seconds(_ text: String, now: Double) -> Double? {
        guard let number = Double(text) else { return DateTimeText.parse(text).map { $0 - now } }
        guard number.isFinite else { return nil }
        return number > longestNumber ? number - now : number
    }

    /// The text of a number or a string; `nil` for half a character.
    private static func text(of path: String, in bytes: RawSpan) throws(CommandError) -> String? {
        switch JSONField.find(JSONPath(path), in: bytes) {
        case .found(let text):
            return text.withBytes { unsafe $0.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) } }
        case .nothing: throw failure(path, "the output has no such field")
        case .noText: return nil
        case .notJSON: throw failure(path, "the output is not JSON")
        }
    }

    /// It does not show the field's value, which may be a secret.
    private static func failure(_ path: String, _ problem: String) -> CommandError {
        .data(
            "--timeout-from-json \(Display.quoted(path)): \(problem)",
            hint: "the output was not kept; name its field, such as .expires_in or .Credentials.Expiration")
    }
}
