import CommandSupport
import CredentialHelpers

extension Place {
    /// The server that Vault's or OpenBao's own command means.
    static func vaultServer() throws(CommandError) -> String {
        if let server = try environment("VAULT_ADDR") { return server }
        return try environment("BAO_ADDR") ?? CredentialHelper.vaultServer
    }
}
