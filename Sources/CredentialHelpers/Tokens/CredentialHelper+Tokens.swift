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
        guard let (item, credential) = try named(service, account: account) else {
            throw SecretStoreError(.notFound, item: missing)
        }
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

    /// Whether it has ended.
    func isOver(_ end: Int64?) -> Bool { end.map { $0 <= now } ?? false }

    private func named(
        _ service: String, account: String?
    ) throws(SecretStoreError) -> (item: ItemIdentity, credential: CredentialRecord)? {
        for kind in Self.kinds {
            let item = ItemIdentity(kind, service: service, account: account ?? "")
            if let credential = try credential(item) { return (item, credential) }
        }
        guard account == nil else { return nil }
        let found = try items { $0.service.utf8.elementsEqual(service.utf8) }
        let accounts = Set(found.map(\.account))
        guard accounts.count < 2 else {
            throw SecretStoreError(
                .ambiguous(accounts: accounts.sorted()), item: .password(service: service, account: ""))
        }
        for item in found {
            if let credential = try credential(item) { return (item, credential) }
        }
        return nil
    }
}
