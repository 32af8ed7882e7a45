#if Configuration
    import Configuration
    import ConfigurationTesting
    import SessionKeyring
    import SessionKeyringConfiguration
    import SessionKeyringTesting
    import Testing

    @Suite("Configuration from a store")
    struct SessionKeyringProviderTests {
        private let store = SecretStore(backend: InMemoryBackend())

        /// Stores the values that `ProviderCompatTest` expects.
        private static func fill(_ store: SecretStore) throws {
            let magic: [UInt8] = Array("magic".utf8)
            let magic2: [UInt8] = Array("magic2".utf8)
            func set(_ key: String, _ value: some Encodable) throws {
                try store.set(value, for: .password(service: key))
            }
            for (prefix, text, number, real, flag, bytes) in [
                ("", "Hello", 42, 3.14, true, magic), ("other.", "Other Hello", 24, 2.72, false, magic2),
            ] {
                try set(prefix + "string", text)
                try set(prefix + "int", number)
                try set(prefix + "double", real)
                try set(prefix + "bool", flag)
                try set(prefix + "bytes", bytes)
            }
            for (prefix, strings, numbers, reals, flags, chunks) in [
                ("", ["Hello", "World"], [42, 24], [3.14, 2.72], [true, false], [magic, magic2]),
                ("other.", ["Hello", "Swift"], [16, 32], [0.9, 1.8], [false, true, true], [magic, magic2, magic]),
            ] {
                try set(prefix + "stringy.array", strings)
                try set(prefix + "inty.array", numbers)
                try set(prefix + "doubly.array", reals)
                try set(prefix + "booly.array", flags)
                try set(prefix + "byteChunky.array", chunks)
            }
        }

        @Test("the provider passes the compatibility test on the kernel or in memory", arguments: [true, false])
        func compatibility(isKernel: Bool) async throws {
            let scratch = try ScratchKeyring()
            let store = try isKernel ? scratch.store() : self.store
            try Self.fill(store)
            try await ProviderCompatTest(provider: SessionKeyringProvider(store: store)).runTest()
        }

        @Test("every value is secret, is found under its item's name, and is never printed")
        func secrecy() throws {
            try store.set("tok3n", for: .password(service: "api.token"))
            let provider = SessionKeyringProvider(store: store)
            let key = AbsoluteConfigKey(["api", "token"])
            for found in [
                try provider.value(forKey: key, type: .string),
                try provider.snapshot().value(forKey: key, type: .string),
            ] {
                #expect(found.value?.isSecret == true)
                #expect(found.encodedKey == "password:api.token:")
                #expect(!"\(found) \(provider) \(provider.snapshot().providerName)".contains("tok3n"))
            }
            #expect(ConfigReader(provider: provider).string(forKey: "api.token", isSecret: true) == "tok3n")
        }

        @Test("a value of another type causes an error that does not show the value")
        func undecodable() throws {
            try store.set("tok3n", for: .password(service: "port"))
            let provider = SessionKeyringProvider(store: store)
            let key = AbsoluteConfigKey(["port"])
            for read in [
                { try provider.value(forKey: key, type: .int) },
                { try provider.snapshot().value(forKey: key, type: .int) },
            ] {
                let error = #expect(throws: SecretStoreError.self) { try read() }
                guard case .undecodable? = error?.code else {
                    Issue.record("\(error as Any)")
                    return
                }
                #expect(!"\(error as Any)".contains("tok3n"))
            }
        }

        @Test("keys can name any kind of item, and a watcher gets the current state")
        func watching() async throws {
            let item = ItemIdentity.internet(server: "db", account: "app")
            let provider = SessionKeyringProvider(store: store) { key in
                .internet(server: key.components[0], account: key.components[1])
            }
            try store.set("1", for: item)
            let key = AbsoluteConfigKey(["db", "app"])
            try await provider.watchValue(forKey: key, type: .int) { updates async throws in
                var updates = updates.makeAsyncIterator()
                #expect(try await updates.next()?.get().value?.content == .int(1))
            }
            try await provider.watchSnapshot { updates async throws in
                var updates = updates.makeAsyncIterator()
                #expect(try await updates.next()?.value(forKey: key, type: .int).value?.content == .int(1))
            }
        }
    }
#endif
