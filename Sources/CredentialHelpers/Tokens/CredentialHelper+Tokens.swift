package import SessionKeyring

/// Answers from items that a client's user has named.
extension CredentialHelper {
    /// Answers in this format with the item of this name; an item that has expired counts as absent.
    ///
    /// If the payload has no expiry, the token ends with the item's timeout.
    ///
    /// Without `account`, the item is the one that has no account, otherwise the only item of the
    /// service, as in `skr get`.
    ///
    /// - Throws: ``SecretStoreError`` with `ambiguous`, or with `notFound` if the format has no
    ///   answer for an absent item.
    package func answer(
        _ service: String, account: String?, in format: some TokenFormat
    ) throws(SecretStoreError) -> HelperAnswer {
        if let found = try foundAnswer(service, account: account, in: format) { return found }
        if let answer = format.answerToNothing() { return answer }
        throw SecretStoreError(.notFound, item: .password(service: service, account: account ?? ""))
    }

    private func foundAnswer(
        _ service: String, account: String?, in format: some TokenFormat
    ) throws(SecretStoreError) -> HelperAnswer? {
        guard
            let item = try ItemIdentity.named(
                service, account: account, isThere: { item throws(SecretStoreError) in try items.get(item) != nil },
                among: items.identities),
            let credential = try credential(item)
        else { return nil }
        func answer(endingAt end: Int64?) throws(UnusableToken) -> TokenAnswer {
            try format.answer(
                Issuance(
                    credential.secret, account: item.account, expires: end, isBare: format.takesItemsAsTheyAre))
        }
        let stated: TokenAnswer
        do throws(UnusableToken) {
            stated = try answer(endingAt: credential.expires)
        } catch {
            return error.answerOfItem
        }
        guard !isOver(stated.expires) else { return nil }
        guard format.reportsExpiry, stated.expires == nil, let end = try end(of: item, holding: credential),
            let dated = try? answer(endingAt: end)
        else { return HelperAnswer { $0.append(stated.output) } }
        return HelperAnswer { $0.append(dated.output) }
    }
}
