public import Keyutils

/// A user name and a password for a server.
public struct InternetCredentials: ~Copyable, Sendable {
    /// The user name at the server.
    public let account: String
    /// The password.
    public let password: SecretBytes

    /// Creates credentials to store.
    public init(account: String, password: consuming SecretBytes) {
        self.account = account
        self.password = password
    }

    /// Creates credentials to store from a password as text.
    ///
    /// The string itself stays in ordinary memory that is not wiped.
    public init(account: String, password: String) {
        self.init(account: account, password: SecretBytes(utf8: password))
    }

    /// The password as text, in ordinary memory that is not wiped; `nil` if its bytes are not UTF-8.
    public var passwordText: String? {
        password.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) } }
    }

    fileprivate func item(server: String) -> ItemIdentity { .internet(server: server, account: account) }
}

extension SecretStore {
    /// Reads the credentials for a server.
    ///
    /// ```swift
    /// let password = try store.get(server: "smtp.example.com")?.passwordText
    /// ```
    ///
    /// - Parameters:
    ///   - server: the server's name.
    ///   - account: the user name. With `nil`, the call reads the item without an account, or else the
    ///     server's only item.
    /// - Returns: the credentials, or `nil` if they don't exist.
    /// - Throws: ``SecretStoreError`` with `ambiguous` if `account` is `nil` and the server has several accounts, none
    ///   of them empty.
    public func get(server: String, account: String? = nil) throws(SecretStoreError) -> InternetCredentials? {
        let item: ItemIdentity
        if let account {
            item = .internet(server: server, account: account)
        } else if let found = try ItemIdentity.named(
            server, account: nil, of: .internet, isThere: contains, among: identities)
        {
            item = found
        } else {
            return nil
        }
        guard let password = try get(item) else { return nil }
        return InternetCredentials(account: item.account, password: password)
    }

    /// Stores credentials for a server, replacing those that the account has there.
    ///
    /// - Parameters:
    ///   - credentials: the user name and the password. The user name is part of the item's identity.
    ///   - server: the server's name.
    ///   - timeout: the longest time that the kernel keeps them; `nil` for as long as the scope exists.
    ///   - deletingOthers: whether to delete the credentials of all other accounts for this server, after
    ///     storing the new ones.
    /// - Throws: ``SecretStoreError`` as ``set(_:for:timeout:refreshAfter:usableFor:)-(SecretBytes,_,_,_,_)``.
    public func set(
        _ credentials: borrowing InternetCredentials,
        server: String,
        timeout: Duration? = nil,
        deletingOthers: Bool = false
    ) throws(SecretStoreError) {
        let others = deletingOthers ? try otherItems(than: credentials, server: server) : []
        try set(credentials.password, for: credentials.item(server: server), timeout: timeout)
        for other in others { try delete(other) }
        // If two callers do this at the same time, each might have deleted the item that the other one has stored.
        if !others.isEmpty, try !contains(credentials.item(server: server)) {
            try set(credentials.password, for: credentials.item(server: server), timeout: timeout)
        }
    }

    /// Stores credentials for a server as the blocking form does, without blocking a thread.
    ///
    /// Waits for at most `limit` for each item.
    ///
    /// - Throws: `CancellationError`; ``SecretStoreError`` as the blocking form.
    public nonisolated(nonsending) func set(
        _ credentials: borrowing InternetCredentials, server: String, timeout: Duration? = nil,
        deletingOthers: Bool = false, waiting limit: Duration
    ) async throws {
        let others = deletingOthers ? try otherItems(than: credentials, server: server) : []
        let item = credentials.item(server: server)
        var operation = try setting(item, timeout: timeout)
        try await set(credentials.password, for: item, timeout: timeout, waiting: limit)
        // Others can see the new item, so the rest is completed even if the task is cancelled.
        for other in others {
            var operation = DeleteOperation(other, in: backend)
            var wait = Wait.freeingQuota(upTo: limit)
            _ = try await wait.runInTask(isCancellable: false) { effort throws(SecretStoreError) in
                try operation.attempt(effort)
            }
        }
        guard !others.isEmpty, try !contains(item) else { return }
        var wait = Wait(upTo: limit, quota: limit)
        try await wait.runInTask(isCancellable: false) { effort throws(SecretStoreError) in
            try credentials.password.withBytes { bytes throws(SecretStoreError) in
                try operation.attempt(bytes, effort)
            }
        }
    }

    /// Lists the items of the server's other accounts; the caller does this before it stores the new item.
    ///
    /// If two processes store at the same time, this order keeps each from deleting the item that the other
    /// has just stored.
    private func otherItems(
        than credentials: borrowing InternetCredentials, server: String
    ) throws(SecretStoreError) -> [ItemIdentity] {
        let item = credentials.item(server: server)
        return try identities(of: .internet, service: server).filter { $0 != item }
    }

    /// Stores credentials for a server unless the account already has some there.
    ///
    /// - Throws: ``SecretStoreError`` as ``add(_:for:timeout:refreshAfter:usableFor:)-(SecretBytes,_,_,_,_)``.
    public func add(
        _ credentials: borrowing InternetCredentials,
        server: String,
        timeout: Duration? = nil
    ) throws(SecretStoreError) {
        try add(credentials.password, for: credentials.item(server: server), timeout: timeout)
    }

    /// Stores credentials for a server unless the account already has some there; waits for at most `limit`.
    ///
    /// Waiting blocks no thread.
    ///
    /// - Throws: `CancellationError`; ``SecretStoreError`` as the blocking form.
    public nonisolated(nonsending) func add(
        _ credentials: borrowing InternetCredentials, server: String, timeout: Duration? = nil, waiting limit: Duration
    ) async throws {
        try await add(
            credentials.password, for: credentials.item(server: server), timeout: timeout, waiting: limit)
    }
}
