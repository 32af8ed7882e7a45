import SessionKeyring

/// Items that a client's user has named.
extension CredentialHelper {
    /// What the item of this name says in this format; an item whose expiry is over is none.
    ///
    /// A payload without an expiry ends with the item's timeout.
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
        func answer(endingAt end: Int64?) throws(UnusableToken) -> TokenAnswer {
            try format.answer(Issuance(credential.secret, account: item.account, expires: end, isBare: isBare))
        }
        let stated: TokenAnswer
        do throws(UnusableToken) {
            stated = try answer(endingAt: credential.expires)
        } catch {
            return error.answerOfItem
        }
        guard !isOver(stated.expires) else { throw SecretStoreError(.notFound, item: missing) }
        guard format.reportsExpiry, stated.expires == nil, let end = try end(of: item, holding: credential),
            let dated = try? answer(endingAt: end)
        else { return HelperAnswer { $0.append(stated.output) } }
        return HelperAnswer { $0.append(dated.output) }
    }
}
