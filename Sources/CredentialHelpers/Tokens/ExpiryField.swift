import Keyutils
import SecretText

/// When something ends, as JSON says it: a Unix time in seconds or milliseconds, a date and time, or seconds from now.
enum ExpiryField {
    /// Where it may stand, in the order in which it is looked for.
    static let fields = [
        "status.expirationTimestamp", "expirationTimestamp", "Expiration", "expires_at", "expiration_time", "expiry",
        "expires",
    ]
    /// The one that counts from when it was issued.
    static let lifetime = "expires_in"

    /// A larger number is one of milliseconds; what ends later, in the year 5138, ends then.
    private static let last: Int64 = 100_000_000_000

    /// The earliest of what the first of these fields says, and what is known beside it; `nil` where nothing ends it.
    ///
    /// What can't be read is an error: taken for none, it would be used after its end.
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
                    message: "the field '\(field)' is no time",
                    hint: "it is a number of seconds, or a date and time such as 2031-01-02T03:04:05Z")
            }
            return seconds
        }
        return nil
    }

    /// `nil` for what says nothing.
    private static func value(of field: String, in payload: SecretBox) -> String? {
        payload.bytes.withBytes { bytes in
            let path = JSONPath(field)
            guard let kind = JSONField.firstByte(of: path, in: bytes), kind != UInt8(ascii: "n") else { return nil }
            guard case .found(let value) = JSONField.find(path, in: bytes) else { return "" }
            return value.isEmpty ? nil : SecretBox(value).text ?? ""
        }
    }

    /// What has ended before 1970 has ended then.
    private static func seconds(_ text: String) -> Int64? {
        let number = Double(text).map { $0 > Double(last) ? $0 / 1_000 : $0 }
        guard let seconds = number ?? DateTimeText.parse(text), seconds.isFinite else { return nil }
        return Int64(min(max(seconds.rounded(.down), 0), Double(last)))
    }
}
