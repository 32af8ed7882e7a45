import Keyutils
import SecretText

/// A request from git: lines `key=value` up to an empty line, as described in git-credential(1).
///
/// Unknown keys are skipped. If a key occurs more than once, its last value counts. A key with `[]` collects its
/// values, and an empty value removes the ones collected so far. The host is in lower case, because DNS ignores the
/// case.
struct GitRequest {
    private(set) var scheme: String?
    private(set) var host: String?
    private(set) var path: String?
    private(set) var username: String?
    private(set) var password: SecretBox?
    private(set) var expires: Int64?
    private(set) var refreshToken: SecretBox?
    private(set) var authenticationType: String?
    /// The credential that follows the authentication scheme.
    private(set) var credential: SecretBox?
    private(set) var isEphemeral = false
    private(set) var capabilities: [String] = []
    private(set) var state: [String] = []
    /// Whether all names are UTF-8; git itself accepts any bytes.
    private(set) var isText = true

    init(parsing bytes: RawSpan) {
        RequestLines.forEach(in: bytes) { line in
            guard let sign = line.offset(of: UInt8(ascii: "=")) else { return }
            set(String(lossy: line.extracting(first: sign)), to: line.extracting(droppingFirst: sign + 1))
        }
    }

    private mutating func set(_ key: String, to value: RawSpan) {
        switch key {
        case "password": password = SecretBox(copying: value)
        case "credential": credential = SecretBox(copying: value)
        case "oauth_refresh_token": refreshToken = SecretBox(copying: value)
        case "protocol": scheme = text(value)
        case "host": host = text(value)?.asciiLowercased
        case "path": path = text(value)
        case "username": username = text(value)
        case "authtype": authenticationType = text(value)
        case "password_expiry_utc": expires = text(value).flatMap { Int64($0) }
        case "ephemeral": isEphemeral = !["", "0", "false", "no", "off"].contains(String(lossy: value))
        case "capability[]": collect(text(value), in: &capabilities)
        case "state[]": collect(text(value), in: &state)
        default: break
        }
    }

    private mutating func text(_ value: RawSpan) -> String? {
        let text = String(validating: value)
        if text == nil { isText = false }
        return text
    }

    private func collect(_ value: String?, in list: inout [String]) {
        guard let value else { return }
        if value.isEmpty { list.removeAll() } else { list.append(value) }
    }
}
