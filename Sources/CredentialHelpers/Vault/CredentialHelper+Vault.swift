import Keyutils
import SecretText
public import SessionKeyring

/// The protocol of token helpers for Vault and OpenBao.
extension CredentialHelper {
    /// The server of a client that does not name one.
    public static let vaultServer = "https://127.0.0.1:8200"

    /// Answers `get`, `store` and `erase`.
    ///
    /// An item's service is the server's address without a trailing slash and, after a `#`, the namespace, if there is
    /// one. The item has no account. The token is written without a newline. An absent token is not an error.
    ///
    /// - Parameters:
    ///   - operation: the last word of the command line.
    ///   - server: the server's address, as in `VAULT_ADDR`.
    ///   - namespace: the namespace on the server, as in `VAULT_NAMESPACE`.
    ///   - request: standard input.
    /// - Throws: ``SecretStoreError``.
    public func vault(
        _ operation: String, server: String, namespace: String = "", request: RawSpan
    ) throws(SecretStoreError) -> HelperAnswer {
        let namespace = Self.canonical(namespace)
        let service = Self.canonical(server) + (namespace.isEmpty ? "" : "#\(namespace)")
        switch operation {
        case "get":
            guard let token = try credential(service: service)?.secret else { return .nothing }
            guard !token.hasLineBreak else { return UnusableToken.lineBreak.answerOfItem }
            return HelperAnswer { $0.append(token) }
        case "store":
            let token = SecretBox(copying: request.extracting(first: request.countWithoutNewline))
            guard token.count > 0 else { return HelperAnswer(exitCode: 1, message: "standard input must be a token") }
            guard !token.hasLineBreak else { return UnusableToken.lineBreak.answer }
            try store(token, CredentialFields(), service: service, account: "")
            return .nothing
        case "erase":
            _ = try delete(service: service)
            return .nothing
        default: return HelperAnswer(exitCode: 1, message: "unknown operation: use get, store or erase")
        }
    }

    /// Returns whether these are the same address, or the same namespace.
    package static func isOneVault(_ name: String, _ other: String) -> Bool {
        canonical(name) == canonical(other)
    }

    /// Returns an address or a namespace without slashes at its start and end, which vault ignores; `root` is also the
    /// name of the namespace without a name.
    private static func canonical(_ name: String) -> String {
        var name = name.utf8[...]
        while name.first == UInt8(ascii: "/") { name.removeFirst() }
        while name.last == UInt8(ascii: "/") { name.removeLast() }
        return name.elementsEqual("root".utf8) ? "" : String(Substring(name))
    }
}
