#if Configuration
    public import Configuration
    public import SessionKeyring

    /// Configuration values out of a store, for apple/swift-configuration; all of them are secrets.
    ///
    /// ```swift
    /// let config = ConfigReader(providers: [SessionKeyringProvider(store: try SecretStore()), EnvironmentVariablesProvider()])
    /// let password = config.string(forKey: "database.password", isSecret: true)
    /// ```
    ///
    /// Finds there what `skr set database.password` has stored: unless you say otherwise, a key is the password of the service
    /// of its name, without an account. A string and bytes are the secret itself; numbers, booleans and arrays are read by the
    /// store's codec, so as JSON unless it has another. An absent or expired item is no value. Each value comes fresh from the
    /// kernel; no form of the provider shows one.
    public struct SessionKeyringProvider: ConfigProvider {
        /// The name in reports of accesses.
        public let providerName = "SessionKeyringProvider"
        let store: SecretStore
        let identify: @Sendable (AbsoluteConfigKey) -> ItemIdentity

        /// A provider of the values in a store.
        ///
        /// - Parameters:
        ///   - store: where the items are. Give it a namespace of its own if you take snapshots.
        ///   - identify: the item behind a key.
        public init(
            store: SecretStore,
            identify: @escaping @Sendable (AbsoluteConfigKey) -> ItemIdentity = SessionKeyringProvider.item(for:)
        ) {
            self.store = store
            self.identify = identify
        }

        /// The password of the service that has the key's name, its parts joined by dots.
        public static func item(for key: AbsoluteConfigKey) -> ItemIdentity {
            .password(service: key.components.joined(separator: "."))
        }

        /// The value as it is now.
        ///
        /// - Throws: `SecretStoreError` with `undecodable` where it is of another type, or as `SecretStore.get` does.
        public func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
            let item = identify(key)
            guard let secret = try store.get(item) else { return LookupResult(item, nil) }
            let content = try secret.withBytes { bytes in
                try ConfigContent(bytes, as: type, of: item, by: store.codec)
            }
            return LookupResult(item, content)
        }

        /// The value as it is now.
        ///
        /// - Throws: `SecretStoreError` as ``value(forKey:type:)`` does.
        public func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
            try value(forKey: key, type: type)
        }

        /// The value now and, where the store tells of changes, after each of them; elsewhere only the one that is there now.
        ///
        /// That an item expires nobody tells.
        ///
        /// - Throws: what the closure throws.
        public func watchValue<Return: ~Copyable>(
            forKey key: AbsoluteConfigKey,
            type: ConfigType,
            updatesHandler: (
                _ updates: ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>
            ) async throws -> Return
        ) async throws -> Return {
            let item = identify(key)
            return try await watch(
                { change in change.concerns(item) }, { Result { try value(forKey: key, type: type) } }, updatesHandler)
        }

        /// All items of the namespace as they are now, each with its secret.
        ///
        /// They are copied one by one into memory that is wiped when the snapshot is gone. What can't be read is thrown when
        /// its value is asked for.
        public func snapshot() -> any ConfigSnapshot { SessionKeyringSnapshot(of: self) }

        /// A snapshot now and, where the store tells of changes, after each of them; elsewhere only the one of now.
        ///
        /// - Throws: what the closure throws.
        public func watchSnapshot<Return: ~Copyable>(
            updatesHandler: (_ updates: ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>) async throws -> Return
        ) async throws -> Return {
            try await watch({ _ in true }, { snapshot() }, updatesHandler)
        }

        /// Lends `body` what `read` gives, now and after each change that matters.
        private func watch<Element: Sendable, Return: ~Copyable>(
            _ matters: @escaping @Sendable (SecretChange) -> Bool,
            _ read: @escaping @Sendable () -> Element,
            _ body: (ConfigUpdatesAsyncSequence<Element, Never>) async throws -> Return
        ) async throws -> Return {
            let (updates, continuation) = AsyncStream.makeStream(
                of: Element.self, bufferingPolicy: .bufferingNewest(1))
            // Before the first look, so that no change falls in between.
            let changes = try? store.changes()
            continuation.yield(read())
            let telling = Task {
                guard let changes else { return }
                for await change in changes where matters(change) { continuation.yield(read()) }
                continuation.finish()
            }
            defer { telling.cancel() }
            return try await body(ConfigUpdatesAsyncSequence(updates))
        }
    }

    extension SessionKeyringProvider: CustomStringConvertible {
        /// Its name; never a value.
        public var description: String { providerName }
    }

    extension SecretChange {
        fileprivate func concerns(_ item: ItemIdentity) -> Bool {
            switch self {
            case .stored(let changed), .deleted(let changed): changed == item
            case .cleared, .missed: true
            }
        }
    }
#endif
