import Keyutils
import SecretText
public import SessionKeyring

/// The answer to go: the address that a header is for, and the header.
package struct GoHeaders: TokenFormat {
    private let place: WebAddress
    package var reportsExpiry: Bool { false }
    package var takesItemsAsTheyAre: Bool { true }

    /// - Parameter place: the secret is only for this address and those below it.
    package init(for place: WebAddress) {
        self.place = place
    }

    /// Creates the same answer with the host as the URL spells it, because go compares texts.
    ///
    /// - Returns: `nil` if the URL is neither the place nor below it.
    package init?(for place: WebAddress, asIn url: String) {
        guard let address = WebAddress(url), place.covers(address),
            let same = WebAddress("\(place.scheme)://\(address.host)\(place.path)")
        else { return nil }
        self.place = same
    }

    package func answer(_ issued: Issuance) throws(UnusableToken) -> TokenAnswer {
        let token = try IssuedToken(issued)
        let value = try AuthorizationValue(token.secret, user: issued.account)
        return TokenAnswer(kept: issued.payload, expires: token.expires) { text in
            text.append("\(place.scheme)://\(place.host)\(place.path)\n\nAuthorization: ")
            text.append(value.text)
            text.append("\n\n")
        }
    }

    package func answerToNothing() -> HelperAnswer? { .nothing }
}

/// go's protocol: GOAUTH, `go help goauth`.
extension CredentialHelper {
    /// Answers with the header of the nearest item for this URL.
    ///
    /// The service of such an item is an https address with the same host and port, and the URL is at or below its
    /// path. If there isn't one, the answer is empty. An item with an account holds that user's password. Any
    /// other item holds a token.
    ///
    /// - Parameter url: the last word of the command line; `nil` if go asks for all headers, before it knows a URL.
    /// - Throws: ``SecretStoreError``.
    public func go(url: String?) throws(SecretStoreError) -> HelperAnswer {
        guard let url, let address = WebAddress(url), address.scheme == "https" else { return .nothing }
        for (item, place) in try items(covering: address) {
            guard let credential = try liveCredential(item), ItemOwner.others.has(item, credential) else { continue }
            do throws(UnusableToken) {
                guard let headers = GoHeaders(for: place, asIn: url) else { continue }
                let answer = try headers.answer(
                    Issuance(credential.secret, account: item.account, isBare: true))
                return HelperAnswer { $0.append(answer.output) }
            } catch {
                return error.answerOfItem
            }
        }
        return .nothing
    }

    /// Answers with the header for one place, from the item of that name.
    ///
    /// The answer is empty if the item is absent, or the URL is neither the place nor below it.
    ///
    /// - Parameters:
    ///   - prefix: the place that the header is for, such as `https://go.example.com/private`.
    ///   - url: the last word of the command line, if go has passed a URL.
    /// - Throws: ``SecretStoreError``.
    public func go(
        _ service: String, account: String? = nil, prefix: String, url: String?
    ) throws(SecretStoreError) -> HelperAnswer {
        guard let place = WebAddress(service: prefix), place.scheme == "https",
            let headers = url.map({ GoHeaders(for: place, asIn: $0) }) ?? GoHeaders(for: place)
        else { return .nothing }
        return try answer(service, account: account, in: headers)
    }
}
