import CommandSupport
import CredentialHelpers

struct VaultClient: HelperClient {
    static let name = "vault"
    static let summary = "The token of a server, for vault and bao."
    static let details = """
        Works as a token helper of Vault and OpenBao. 'vault login' stores the token in the keyring; all other \
        commands read it from there.

        An item's service is the URL in VAULT_ADDR or BAO_ADDR, without a slash at its end; the default is \
        https://127.0.0.1:8200. If VAULT_NAMESPACE or BAO_NAMESPACE is set, '#' and the namespace follow: \
        https://vault.example.com:8200#team. The item has no account.

        If the variables of vault and bao name different servers or namespaces, skr reports an error.
        """
    static let examples = """
        skr helper install vault
        printf tok3n | VAULT_ADDR=https://vault.example.com:8200 skr helper vault store
        VAULT_ADDR=https://vault.example.com:8200 skr helper vault get
        """

    static let start = HelperStart.link("skr-vault", isFoundInPath: false, takesOptions: false)
    static let errors = HelperErrors.onStandardError

    private let options: HelperOptions
    private let operation: String

    init(_ words: inout CommandWords) {
        options = HelperOptions(&words)
        operation = words.word("OPERATION", "get, store or erase; vault passes it.", .choice("get|store|erase"))
    }

    func run() throws {
        let request: HelperRequest = operation == "store" ? .whole(isStoring: true) : .none
        try options.call(of: Self.self).answer(request, isReading: operation == "get") { helper, request in
            try helper.vault(
                operation, server: try Self.variable("ADDR") ?? CredentialHelper.vaultServer,
                namespace: try Self.variable("NAMESPACE") ?? "", request: request)
        }
    }

    /// Returns the value that the user's command, `vault` or `bao`, has for this variable.
    ///
    /// We can't find out which of the two commands is asking. If the variables named two servers or namespaces, each
    /// command could get the other's token, so that is an error.
    private static func variable(_ name: String) throws(CommandError) -> String? {
        let (vault, bao) = (try Variable.value("VAULT_\(name)"), try Variable.value("BAO_\(name)"))
        if let vault, let bao, !CredentialHelper.isOneVault(vault, bao) {
            throw .usage(
                "VAULT_\(name) and BAO_\(name) have different values",
                hint: "unset one of them for this call of vault or bao")
        }
        return vault ?? bao
    }

    static func setup(of program: String) -> any ClientSetup {
        ShownSetup(words: "skr-vault", files: [("VAULT_CONFIG_PATH", ".vault")], unquoted: { [$0.linkPath] }) {
            call, file in
            [
                "in \(file):", #"  token_helper = "\#(call.linkPath)""#,
                "then run 'vault login' to store the token in the keyring",
            ]
        }
    }
}
