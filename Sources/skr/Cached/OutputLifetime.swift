import CommandConventions
import FoundationEssentials
import Glibc

/// How long an output is good for, as it says itself.
enum OutputLifetime {
    /// From a field that holds a number of seconds or a date and time.
    static func read(_ path: String, from bytes: RawSpan) throws(CommandError) -> Duration {
        let data = unsafe bytes.withUnsafeBytes { unsafe Data($0) }
        guard var value = try? JSONDecoder().decode(JSONValue.self, from: data) else {
            throw failure(path, "the output is not JSON")
        }
        for step in path.split(separator: ".") {
            guard let next = value[String(step)] else { throw failure(path, "the output has no such field") }
            value = next
        }
        guard let seconds = seconds(value) else {
            throw failure(path, "the field is neither a number of seconds nor a date and time")
        }
        guard seconds >= 1 else { throw failure(path, "the time that the field tells is over") }
        return .seconds(Int64(min(seconds, 4_294_967_295)))
    }

    private static func seconds(_ value: JSONValue) -> Double? {
        switch value {
        case .integer(let number): return Double(number)
        case .unsigned(let number): return Double(number)
        case .number(let number): return number.isFinite ? number : nil
        case .string(let text):
            if let number = Double(text) { return number.isFinite ? number : nil }
            guard let end = DateTimeText.parse(text) else { return nil }
            return end - now()
        default: return nil
        }
    }

    private static func now() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    /// Never the field's value, which may be a secret that was named by mistake.
    private static func failure(_ path: String, _ problem: String) -> CommandError {
        CommandError(
            exitCode: .data, message: "--timeout-from-json \(Display.quoted(path)): \(problem)",
            hint: "the output was not kept; name its field, such as .expires_in or .Credentials.Expiration")
    }
}
