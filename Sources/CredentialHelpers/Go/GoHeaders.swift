import Keyutils
import SecretText
public import SessionKeyring

/// The answer to go: the addresses that a header is for, and the header.
package struct GoHeaders: TokenFormat {
    private let place: WebAddress
    package var reportsExpiry: Bool { false }
    package var takesItemsAsTheyAre: Bool { true }

    /// - Parameter place: nothing but it, and what is below it, gets the secret.
    package init(for place: WebAddress) {
        self.place = place
    }

    /// The same with the host as the URL writes it, for go compares texts; `nil` where the URL is elsewhere.
    package init?(for place: WebAddress, asIn url: String) {
        guard let address = WebAddress(url), place.covers(address), let same = place.with(host: address.host) else {
            return nil
        }
        self.place = same
    }

    package func answer(_ issued: Issuance) throws(UnusableToken) -> TokenAnswer {
        let token = try IssuedToken(issued)
        let value = try AuthorizationValue(token.secret, user: issued.account)
        let output = SecretBytes { text in
            text.append("\(place.scheme)://\(place.host)\(place.path)\n\nAuthorization: ")
            text.append(value.text)
            text.append("\n\n")
        }
        return TokenAnswer(SecretBox(output), kept: issued.payload, expires: token.expires)
    }

    package func answerToNothing() -> HelperAnswer? { .nothing }
}

extension WebAddress {
    fileprivate func with(host: String) -> WebAddress? { WebAddress("\(scheme)://\(host)\(path)") }
}

/// go's protocol: GOAUTH, `go help goauth`.
extension CredentialHelper {
    /// Answers with the header for the nearest item that is for this URL: one whose service is an address of https, on the same
    /// host and port, with a path that the URL is at or below.
    ///
    /// Where there is none, there is nothing to say. An item with an account is a user's password, else it is a token.
    ///
    /// - Parameter url: the last word of the command line; `nil` where go asks what there is before it knows one.
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

    /// Answers with the header for one place, from the item of that name; with nothing for a URL that is elsewhere, and where
    /// there is no item.
    ///
    /// - Parameters:
    ///   - prefix: what the header is for, such as `https://go.example.com/private`.
    ///   - url: the last word of the command line, where go has said one.
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
