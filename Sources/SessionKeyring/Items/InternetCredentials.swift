public import Keyutils

/// A user's name and password for a server.
public struct InternetCredentials: ~Copyable, Sendable {
    /// The user's name at the server.
    public let account: String
    /// The password.
    public let password: SecretBytes

    /// Credentials to store.
    public init(account: String, password: consuming SecretBytes) {
        self.account = account
        self.password = password
    }
}

extension SecretStore {
    /// The credentials for a server, fetched by the server alone; `nil` where there are none.
    ///
    /// - Throws: ``SecretStoreError`` with `ambiguous` where there are several accounts and none is empty, or as
    ///   ``get(_:)`` does.
    public func credentials(forServer server: String) throws(SecretStoreError) -> InternetCredentials? {
        guard let item = try soleItem(of: .internet, service: server), let password = try get(item) else { return nil }
        return InternetCredentials(account: item.account, password: password)
    }

    /// Stores credentials for a server.
    ///
    /// - Parameters:
    ///   - credentials: user name and password. The user name is part of the item's identity.
    ///   - server: the server's name.
    ///   - timeout: when the kernel drops them; `nil` for the scope's life.
    ///   - droppingOthers: delete what other accounts have for this server, once the new ones are in place.
    /// - Throws: ``SecretStoreError`` as ``set(_:for:timeout:)`` and ``delete(_:)`` do.
    public func set(
        _ credentials: borrowing InternetCredentials,
        forServer server: String,
        timeout: Duration? = nil,
        droppingOthers: Bool = false
    ) throws(SecretStoreError) {
        let item = ItemIdentity.internet(server: server, account: credentials.account)
        // Listed before ours is there: of two processes that do this at once, neither may drop what the other just stored.
        let others = droppingOthers ? try identities(of: .internet, service: server).filter { $0 != item } : []
        try set(credentials.password, for: item, timeout: timeout)
        for other in others { try delete(other) }
    }
}
