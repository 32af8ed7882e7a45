import Keyutils
import SecretText
public import SessionKeyring

/// cargo's protocol for credential providers, from cargo 1.74 on: one JSON object per line.
extension CredentialHelper {
    /// The helper's first line, which lists the protocol versions that it supports.
    public static let cargoHello = "{\"v\":[1]}\n"

    /// Returns the prompt to show on the terminal before this request is answered; `nil` for none.
    ///
    /// The request of `cargo login` has no token if the user has not given one.
    public static func cargoPrompt(_ request: RawSpan) -> String? {
        guard version(of: request) == "1", field("kind", of: request) == "login", !hasToken(request),
            let index = field("registry.index-url", of: request)
        else { return nil }
        return "token for \(field("registry.name", of: request) ?? index): "
    }

    /// Returns the words that the user has configured after the helper's name.
    ///
    /// Each request contains them. The result is `nil` if they are not a list of strings, or more than 32 words.
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

    /// Returns whether the request is of this kind: `get`, `login` or `logout`.
    package static func isCargo(_ kind: String, _ request: RawSpan) -> Bool { field("kind", of: request) == kind }

    /// Answers one request: `get`, `login` or `logout`.
    ///
    /// An item's service is the URL of the registry's index, as cargo spells it. The item has no account.
    ///
    /// - Parameters:
    ///   - request: one line.
    ///   - typed: the user's reply to ``cargoPrompt(_:)``; `nil` if nobody could be asked.
    /// - Throws: ``SecretStoreError``.
    public func cargo(
        _ request: RawSpan, typed: consuming SecretBytes? = nil
    ) throws(SecretStoreError) -> HelperAnswer {
        guard let version = Self.version(of: request), let kind = Self.field("kind", of: request) else {
            return Self.cargoError("the request must be {\"v\":1,\"kind\":...}")
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
            guard token != nil || !Self.hasToken(request) else { return Self.cargoError("the token is not a string") }
            if let typed, token == nil { token = SecretBox(typed) }
            guard let token, token.count > 0 else {
                return Self.cargoError("there is no token, and no terminal to ask for it")
            }
            guard !token.hasLineBreak else { return Self.cargoError(UnusableToken.lineBreak.text) }
            try store(token, CredentialFields(), service: index, account: "")
        default:
            guard try delete(service: index) else { return Self.cargoRefusal("not-found") }
        }
        return HelperAnswer(output: "{\"Ok\":{\"kind\":\"\(kind)\"}}\n")
    }

    /// Returns an error in the form that cargo shows to its user.
    public static func cargoError(_ text: String) -> HelperAnswer {
        HelperAnswer { line in
            line.append("{\"Err\":{\"kind\":\"other\",\"message\":", quoting: text)
            line.append(",\"caused-by\":[]}}\n")
        }
    }

    private func cargoGet(_ index: String) throws(SecretStoreError) -> HelperAnswer {
        guard let (item, credential) = try namedCredential(service: index) else {
            return Self.cargoRefusal("not-found")
        }
        guard credential.secret.isText else { return Self.cargoError("the stored token is not UTF-8") }
        guard !credential.secret.hasLineBreak else { return Self.cargoError(UnusableToken.lineBreak.text) }
        let end = try end(of: item, holding: credential)
        return HelperAnswer { line in
            line.append("{\"Ok\":{\"kind\":\"get\",\"token\":", quoting: credential.secret)
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

    /// Returns whether the request has a token, of any JSON type except `null`.
    private static func hasToken(_ request: RawSpan) -> Bool {
        let kind = JSONField.firstByte(of: JSONPath("token"), in: request)
        return kind != nil && kind != UInt8(ascii: "n")
    }
}
