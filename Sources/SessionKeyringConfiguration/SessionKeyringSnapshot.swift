#if Configuration
    import Configuration
    import SessionKeyring

    /// The items of a store at one time, each read once.
    struct SessionKeyringSnapshot: ConfigSnapshot {
        let providerName: String
        private let provider: SessionKeyringProvider
        private let secrets: Result<[ItemIdentity: Result<Secret, SecretStoreError>], SecretStoreError>

        private final class Secret: Sendable {
            let bytes: SecretBytes
            init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
        }

        init(of provider: SessionKeyringProvider) {
            self.provider = provider
            providerName = provider.providerName
            secrets = Result { () throws(SecretStoreError) in
                var secrets: [ItemIdentity: Result<Secret, SecretStoreError>] = [:]
                for item in try provider.store.identities() {
                    do throws(SecretStoreError) {
                        if let bytes = try provider.store.bytes(of: item) { secrets[item] = .success(Secret(bytes)) }
                    } catch {
                        secrets[item] = .failure(error)
                    }
                }
                return secrets
            }
        }

        func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
            let item = provider.identify(key)
            let secret = try secrets.get()[item]?.get()
            let content = try secret?.bytes.withBytes { bytes in
                try ConfigContent(bytes, as: type, of: item, by: provider.store.codec)
            }
            return LookupResult(item, content)
        }
    }

    extension LookupResult {
        /// Creates a result whose value is secret, as all values of the store are.
        init(_ item: ItemIdentity, _ content: ConfigContent?) {
            self.init(
                encodedKey: item.keyDescription, value: content.map { ConfigValue($0, isSecret: true) })
        }
    }

    extension ConfigContent {
        /// Decodes an item's bytes as a value of this type.
        ///
        /// - Throws: `SecretStoreError` with `undecodable`.
        init(
            _ bytes: RawSpan, as type: ConfigType, of item: ItemIdentity, by codec: any SecretCodec
        ) throws(SecretStoreError) {
            func value<Value: Decodable>(_ type: Value.Type) throws(SecretStoreError) -> Value {
                try SecretStore.decode(type, from: bytes, of: item, by: codec)
            }
            self =
                switch type {
                case .string: .string(try value(String.self))
                case .int: .int(try value(Int.self))
                case .double: .double(try value(Double.self))
                case .bool: .bool(try value(Bool.self))
                case .bytes: .bytes(try value([UInt8].self))
                case .stringArray: .stringArray(try value([String].self))
                case .intArray: .intArray(try value([Int].self))
                case .doubleArray: .doubleArray(try value([Double].self))
                case .boolArray: .boolArray(try value([Bool].self))
                case .byteChunkArray: .byteChunkArray(try value([[UInt8]].self))
                }
        }
    }
#endif
