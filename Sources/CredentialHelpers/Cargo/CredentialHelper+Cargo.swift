import Keyutils
import SecretText
public import SessionKeyring

/// cargo's protocol for credential providers, from cargo 1.74 on: one JSON object a line.
extension CredentialHelper {
    /// The line that the helper begins with: the versions that it knows.
    public static let cargoHello = "{\"v\":[1]}\n"

    /// What to ask for on the terminal before this request is answered; `nil` for nothing.
    ///
    /// `cargo login` has no token of its own where its user gave none.
    public static func cargoPrompt(_ request: RawSpan) -> String? {
        guard version(of: request) == "1", field("kind", of: request) == "login", !hasToken(request),
            let index = field("registry.index-url", of: request)
        else { return nil }
        return "token for \(field("registry.name", of: request) ?? index): "
    }

    /// The words that the user has configured behind the helper's name, which come in each request; `nil` for what is no list
    /// of texts, or a long one.
    public static func cargoWords(_ request: RawSpan) -> [String]? {
        let most = 32
        let kind = JSONField.firstByte(of: JSONPath("args"), in: request)
        guard let kind, kind != UInt8(ascii: "n") else { return [] }
        guard kind == UInt8(ascii: "[") else { return nil }
        var words: [String] = []
        while JSONField.firstByte(of: JSONPath("args.\(words.count)"), in: request) != nil {
            guard words.count < most, let word = field("args.\(words.count)", of: request) else { return nil }
            words.append(word)
        }
        return words
    }

    /// Whether cargo asks to store a token.
    package static func isCargoLogin(_ request: RawSpan) -> Bool { field("kind", of: request) == "login" }

    /// Answers `get`, `login` and `logout`, each a line.
    ///
    /// An item's service is the URL of the registry's index, as cargo has it; it has no account.
    ///
    /// - Parameters:
    ///   - request: one line.
    ///   - typed: what was typed where there is a ``cargoPrompt(_:)``; `nil` where nobody could be asked.
    /// - Throws: ``SecretStoreError``.
    public func cargo(
        _ request: RawSpan, typed: consuming SecretBytes? = nil
    ) throws(SecretStoreError) -> HelperAnswer {
        guard let version = Self.version(of: request), let kind = Self.field("kind", of: request) else {
            return Self.cargoError("the request is not {\"v\":1,\"kind\":...}")
        }
        guard version == "1", ["get", "login", "logout"].contains(kind) else {
            return Self.cargoRefusal("operation-not-supported")
        }
        guard let index = Self.field("registry.index-url", of: request), !index.isEmpty else {
            return Self.cargoRefusal("url-not-supported")
        }
        switch kind {
        case "get": return try cargoGet(index)
        case "login":
            var token = JSONField.text(of: JSONPath("token"), in: request)
            guard token != nil || !Self.hasToken(request) else { return Self.cargoError("the token is no text") }
            if let typed, token == nil { token = SecretBox(typed) }
            guard let token, token.count > 0 else {
                return Self.cargoError("there is no token, and no terminal to ask for it")
            }
            try store(token, CredentialFields(), service: index, account: "")
        default:
            guard try delete(service: index) else { return Self.cargoRefusal("not-found") }
        }
        return HelperAnswer(output: "{\"Ok\":{\"kind\":\"\(kind)\"}}\n")
    }

    /// An error as cargo shows it.
    public static func cargoError(_ text: String) -> HelperAnswer {
        HelperAnswer { line in
            line.append("{\"Err\":{\"kind\":\"other\",\"message\":")
            line.appendJSON(text)
            line.append(",\"caused-by\":[]}}\n")
        }
    }

    private func cargoGet(_ index: String) throws(SecretStoreError) -> HelperAnswer {
        guard let (item, credential) = try namedCredential(service: index) else {
            return Self.cargoRefusal("not-found")
        }
        guard credential.secret.isText else { return Self.cargoError("the token that is stored is not UTF-8") }
        let end = try end(of: item, holding: credential)
        return HelperAnswer { line in
            line.append("{\"Ok\":{\"kind\":\"get\",\"token\":")
            line.appendJSON(credential.secret)
            if let end {
                line.append(",\"cache\":\"expires\",\"expiration\":\(end)")
            } else {
                line.append(",\"cache\":\"session\"")
            }
            line.append(",\"operation_independent\":true}}\n")
        }
    }

    private static func cargoRefusal(_ kind: String) -> HelperAnswer {
        HelperAnswer(output: "{\"Err\":{\"kind\":\"\(kind)\"}}\n")
    }

    private static func field(_ path: String, of request: RawSpan) -> String? {
        JSONField.text(of: JSONPath(path), in: request)?.text
    }

    private static func version(of request: RawSpan) -> String? {
        guard case .found(let version) = JSONField.find(JSONPath("v"), in: request) else { return nil }
        return SecretBox(version).text
    }

    /// Whether there is one, of whatever kind.
    private static func hasToken(_ request: RawSpan) -> Bool {
        let kind = JSONField.firstByte(of: JSONPath("token"), in: request)
        return kind != nil && kind != UInt8(ascii: "n")
    }
}
