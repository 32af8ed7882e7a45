import Keyutils
import SecretText

/// An expiry in JSON: a Unix time in seconds or milliseconds, a date and time, or seconds from now.
enum ExpiryField {
    /// The fields that can hold it, in the order in which they are tried.
    static let fields = [
        "status.expirationTimestamp", "expirationTimestamp", "Expiration", "expires_at", "expiration_time", "expiry",
        "expires",
    ]
    /// The field that counts from the time of issue.
    static let lifetime = "expires_in"

    /// The latest expiry, in the year 5138.
    ///
    /// A larger number is in milliseconds. A later time becomes this one.
    private static let last: Int64 = 100_000_000_000

    /// Returns the earlier of the payload's expiry and the expiry known without it; `nil` if there is neither.
    ///
    /// The payload's expiry is in the first of these fields that it has. Without any, it follows from the time
    /// of issue and the lifetime. An expiry that can't be read is an error: if it were ignored, the token would
    /// be used after its end.
    static func read(_ issued: Issuance, _ fields: [String] = Self.fields) throws(UnusableToken) -> Int64? {
        var end = try first(of: fields, in: issued.payload)
        if end == nil, let now = issued.issued, let left = try first(of: [lifetime], in: issued.payload) {
            end = min(now + left, last)
        }
        return [end, issued.expires].compactMap(\.self).min()
    }

    private static func first(of fields: [String], in payload: SecretBox) throws(UnusableToken) -> Int64? {
        for field in fields {
            guard let text = value(of: field, in: payload) else { continue }
            guard let seconds = seconds(text) else {
                throw UnusableToken(
                    message: "the field '\(field)' is not a time",
                    hint: "use a number of seconds, or a date and time such as 2031-01-02T03:04:05Z")
            }
            return seconds
        }
        return nil
    }

    /// Returns the field's value; `nil` if it is absent, `null` or empty.
    private static func value(of field: String, in payload: SecretBox) -> String? {
        payload.bytes.withBytes { bytes in
            let path = JSONPath(field)
            guard let kind = JSONField.firstByte(of: path, in: bytes), kind != UInt8(ascii: "n") else { return nil }
            guard case .found(let value) = JSONField.find(path, in: bytes) else { return "" }
            return value.isEmpty ? nil : SecretBox(value).text ?? ""
        }
    }

    /// Parses a time into seconds since 1970; a time before 1970 becomes 0.
    private static func seconds(_ text: String) -> Int64? {
        let number = Double(text).map { $0 > Double(last) ? $0 / 1_000 : $0 }
        guard let seconds = number ?? DateTimeText.parse(text), seconds.isFinite else { return nil }
        return Int64(min(max(seconds.rounded(.down), 0), Double(last)))
    }
}
