import Keyutils
import SecretText

/// The program that asks for tokens, as the server knows it.
struct OAuthClient: Sendable {
    /// How the client shows its secret (RFC 6749, section 2.3.1).
    enum Authentication: String, Sendable {
        case none, basic, post
    }

    let id: String
    let secret: SecretBox?
    let authentication: Authentication

    init(id: String, secret: SecretBox?, _ authentication: Authentication) {
        (self.id, self.secret, self.authentication) = (id, secret, authentication)
    }

    /// Creates a POST of this form, and adds what identifies the client.
    func request(_ address: ServerAddress, _ form: Form) -> HTTPRequest {
        var form = form
        guard authentication == .basic, let secret else {
            form.add("client_id", id)
            if authentication == .post, let secret { form.add("client_secret", secret) }
            return HTTPRequest(address, form: form.encoded)
        }
        let pair = SecretBytes { text in
            unsafe text.appendEncoded(id.utf8Span.span.bytes)
            text.append(":")
            secret.bytes.withBytes { text.appendEncoded($0) }
        }
        let header = SecretBytes { text in
            text.append("Basic ")
            pair.withBytes { text.appendBase64($0) }
        }
        return HTTPRequest(address, form: form.encoded, authorization: SecretBox(header))
    }
}
