import Keyutils
import SecretText
public import SessionKeyring

/// The protocol of token helpers for Vault and OpenBao.
extension CredentialHelper {
    /// The server of a client that does not name one.
    public static let vaultServer = "https://127.0.0.1:8200"

    /// Answers `get`, `store` and `erase`.
    ///
    /// An item's service is the server's address without a trailing slash, and the item has no account. The token is
    /// written without a newline. An absent token is not an error.
    ///
    /// - Parameters:
    ///   - operation: the last word of the command line.
    ///   - server: the server's address, as in `VAULT_ADDR`.
    ///   - request: standard input.
    /// - Throws: ``SecretStoreError``.
    public func vault(
        _ operation: String, server: String, request: RawSpan
    ) throws(SecretStoreError) -> HelperAnswer {
        let server = Self.withoutSlashes(server)
        switch operation {
        case "get":
            guard let token = try credential(service: server)?.secret else { return .nothing }
            guard token.isOneLine else {
                return HelperAnswer(exitCode: 1, message: "the stored token has a line break")
            }
            return HelperAnswer { $0.append(token) }
        case "store":
            let token = SecretBox(copying: request.extracting(first: request.countWithoutNewline))
            guard token.count > 0, token.isOneLine else {
                return HelperAnswer(exitCode: 1, message: "standard input must be a token on one line")
            }
            try store(token, CredentialFields(), service: server, account: "")
            return .nothing
        case "erase":
            _ = try delete(service: server)
            return .nothing
        default: return HelperAnswer(exitCode: 1, message: "unknown operation: use get, store or erase")
        }
    }

    /// Returns whether these two addresses have the same token.
    package static func isOneVault(_ server: String, _ other: String) -> Bool {
        withoutSlashes(server).utf8.elementsEqual(withoutSlashes(other).utf8)
    }

    private static func withoutSlashes(_ server: String) -> String {
        var server = server
        while server.utf8.last == UInt8(ascii: "/") { server.removeLast() }
        return server
    }
}
