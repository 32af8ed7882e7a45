import SessionKeyring

/// Items that a client's user has named.
extension CredentialHelper {
    /// What the item of this name says in this format; an item whose expiry is over is none.
    ///
    /// Without an account, it is the item that has none, else the only one of the service, as for `skr get`.
    ///
    /// - Parameter isBare: whether an item that is JSON is the secret itself; else it may be an answer of the protocol's own.
    /// - Throws: ``SecretStoreError`` with `notFound` or `ambiguous`.
    func answer(
        _ service: String, account: String?, in format: some TokenFormat, isBare: Bool = false
    ) throws(SecretStoreError) -> HelperAnswer {
        let missing = ItemIdentity.password(service: service, account: account ?? "")
        guard
            let item = try item(
                named: service, account: account,
                isThere: { item throws(SecretStoreError) in try items.get(item) != nil }),
            let credential = try credential(item)
        else { throw SecretStoreError(.notFound, item: missing) }
        let answer: TokenAnswer
        do throws(UnusableToken) {
            let issued = Issuance(
                credential.secret, account: item.account, expires: credential.expires, isBare: isBare)
            answer = try format.answer(issued)
        } catch {
            return error.answerOfItem
        }
        guard !isOver(answer.expires) else { throw SecretStoreError(.notFound, item: missing) }
        return HelperAnswer { $0.append(answer.output) }
    }
}
