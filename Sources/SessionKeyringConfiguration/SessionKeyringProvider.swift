#if Configuration
    public import Configuration
    public import SessionKeyring

    /// Provides the values of a secret store to apple/swift-configuration; all of them are secret.
    ///
    /// ```swift
    /// let config = ConfigReader(providers: [SessionKeyringProvider(store: try SecretStore()), EnvironmentVariablesProvider()])
    /// let password = config.string(forKey: "database.password", isSecret: true)
    /// ```
    ///
    /// In this example, the provider finds the secret that `skr set database.password` has stored. By default, the item
    /// of a key is the password of the service with the key's name, without an account.
    ///
    /// A string or bytes are the secret itself. The store's codec, JSON by default, decodes numbers, booleans and
    /// arrays. An absent or expired item has no value. The provider reads a value from the kernel again on each access,
    /// and no printed form of the provider shows a value.
    public struct SessionKeyringProvider: ConfigProvider {
        /// The provider's name in access reports.
        public let providerName = "SessionKeyringProvider"
        let store: SecretStore
        let identify: @Sendable (AbsoluteConfigKey) -> ItemIdentity

        /// Creates a provider of the values in a store.
        ///
        /// - Parameters:
        ///   - store: the store that holds the items. Give it its own namespace if you take snapshots.
        ///   - identify: returns the item for a key.
        public init(
            store: SecretStore,
            identify: @escaping @Sendable (AbsoluteConfigKey) -> ItemIdentity = SessionKeyringProvider.item(for:)
        ) {
            self.store = store
            self.identify = identify
        }

        /// Returns the password of the service that has the key's name, which is its components joined by dots.
        public static func item(for key: AbsoluteConfigKey) -> ItemIdentity {
            .password(service: key.components.joined(separator: "."))
        }

        /// Returns the current value.
        ///
        /// - Throws: `SecretStoreError` with `undecodable` if the value has another type, or the errors
        ///   of `SecretStore.get`.
        public func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
            let item = identify(key)
            guard let secret = try store.bytes(of: item) else { return LookupResult(item, nil) }
            let content = try secret.withBytes { bytes in
                try ConfigContent(bytes, as: type, of: item, by: store.codec)
            }
            return LookupResult(item, content)
        }

        /// Returns the current value.
        ///
        /// - Throws: the errors of ``value(forKey:type:)``.
        public func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
            try value(forKey: key, type: type)
        }

        /// Delivers the current value, once: most kernels don't report changes.
        ///
        /// - Throws: the closure's error.
        public func watchValue<Return: ~Copyable>(
            forKey key: AbsoluteConfigKey,
            type: ConfigType,
            updatesHandler: (
                _ updates: ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>
            ) async throws -> Return
        ) async throws -> Return {
            try await watchValueFromValue(forKey: key, type: type, updatesHandler: updatesHandler)
        }

        /// Returns a snapshot of all items in the namespace, each with its secret.
        ///
        /// The snapshot copies the secrets one by one into memory that is wiped when the snapshot is released. If an
        /// item can't be read, asking for its value throws the error.
        public func snapshot() -> any ConfigSnapshot { SessionKeyringSnapshot(of: self) }

        /// Delivers a snapshot, once: most kernels don't report changes.
        ///
        /// - Throws: the closure's error.
        public func watchSnapshot<Return: ~Copyable>(
            updatesHandler: (_ updates: ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>) async throws -> Return
        ) async throws -> Return {
            try await watchSnapshotFromSnapshot(updatesHandler: updatesHandler)
        }
    }

    extension SessionKeyringProvider: CustomStringConvertible {
        /// The provider's name; never a value.
        public var description: String { providerName }
    }
#endif
