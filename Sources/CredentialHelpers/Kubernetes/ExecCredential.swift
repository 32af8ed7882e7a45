import Keyutils
import SecretText
public import SessionKeyring

/// The answer of a client-go credential plugin.
package struct ExecCredential: TokenFormat {
    private static let group = "client.authentication.k8s.io/"
    private let version: String

    package var reportsExpiry: Bool { true }
    package var takesItemsAsTheyAre: Bool { false }

    /// - Parameter request: the value of `KUBERNETES_EXEC_INFO`; text without an `apiVersion` asks for `v1`.
    package init(asked request: RawSpan) throws(UnusableToken) {
        let said = JSONField.text(of: JSONPath("apiVersion"), in: request)?.text ?? Self.group + "v1"
        guard let version = ["v1", "v1beta1"].first(where: { said == Self.group + $0 }) else {
            throw UnusableToken(
                message: "KUBERNETES_EXEC_INFO asks for an unknown apiVersion",
                hint: "in the kubeconfig, set apiVersion to \(Self.group)v1 or \(Self.group)v1beta1")
        }
        self.version = version
    }

    package func answer(_ issued: Issuance) throws(UnusableToken) -> TokenAnswer {
        var certificate = issued.payload.firstText(of: ["status.clientCertificateData"])
        let key = certificate == nil ? nil : issued.payload.firstText(of: ["status.clientKeyData"])
        // kubectl accepts a certificate and a key only together.
        if key == nil { certificate = nil }
        let hasToken = issued.payload.firstText(of: IssuedToken.fields) != nil
        let token = key == nil || hasToken ? try IssuedToken(issued) : nil
        guard token?.secret.isText ?? true else {
            throw UnusableToken(message: "the token is not UTF-8", hint: "store or print it as UTF-8")
        }
        let expires = try ExpiryField.read(issued)
        let end = expires.map { SecretBox(SecretBytes(utf8: DateTimeText.text(of: $0))) }
        let members = [
            ("token", token?.secret), ("clientCertificateData", certificate), ("clientKeyData", key),
            ("expirationTimestamp", end),
        ]
        return TokenAnswer(expires: expires) { text in
            text.append("{\"kind\":\"ExecCredential\",\"apiVersion\":\"\(Self.group)\(version)\",\"status\":{")
            var separator = ""
            for (name, value) in members {
                guard let value else { continue }
                text.append(separator)
                text.appendJSON(name: name)
                text.appendJSON(value)
                separator = ","
            }
            text.append("}}\n")
        }
    }

    package func answerToNothing() -> HelperAnswer? { nil }
}

/// Kubernetes' protocol: client.authentication.k8s.io/v1 and v1beta1.
extension CredentialHelper {
    /// Answers with the token of that item, or with the certificate and key of an item that is an `ExecCredential`.
    ///
    /// - Parameter request: the value of `KUBERNETES_EXEC_INFO`, which can be empty.
    /// - Throws: ``SecretStoreError``, with `notFound` for an absent item: the client then gets the exit status 1.
    public func kubernetes(
        _ service: String, account: String? = nil, request: RawSpan
    ) throws(SecretStoreError) -> HelperAnswer {
        let format: ExecCredential
        do throws(UnusableToken) {
            format = try ExecCredential(asked: request)
        } catch {
            return error.answer
        }
        return try answer(service, account: account, in: format)
    }
}
