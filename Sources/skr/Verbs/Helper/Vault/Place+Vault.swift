import CommandSupport
import CredentialHelpers

extension Place {
    /// The server that Vault's or OpenBao's own command means.
    ///
    /// Nothing says which of them asks. Of two servers each would get the other's token.
    static func vaultServer() throws(CommandError) -> String {
        let (vault, bao) = (try environment("VAULT_ADDR"), try environment("BAO_ADDR"))
        if let vault, let bao, !CredentialHelper.isOneVault(vault, bao) {
            throw .usage(
                "VAULT_ADDR and BAO_ADDR name different servers",
                hint: "unset one of them, where vault or bao is called")
        }
        return vault ?? bao ?? CredentialHelper.vaultServer
    }
}
