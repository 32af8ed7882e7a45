import Foundation
import SessionKeyring
import SessionKeyringTesting
import Testing
import Threads

private enum TokenType: String, CaseIterable {
    case access, refresh, identity
}

/// The interface that small apps like: each call returns plain success, and the last error code is available.
private final class TokenKeychain: Sendable {
    private let store: SecretStore
    private let result = Locked<SecretStoreError.Code?>(nil)

    init(store: SecretStore) { self.store = store }

    /// The reason why the last call failed, or `nil` if it succeeded.
    var lastResultCode: SecretStoreError.Code? { result.withLock { $0 } }

    func set(_ text: String, for type: TokenType) -> Bool { attempt { try store.set(text, for: item(type)) } != nil }
    func set(_ data: Data, for type: TokenType) -> Bool { attempt { try store.set(data, for: item(type)) } != nil }
    func string(for type: TokenType) -> String? { attempt { try store.get(item(type)) } ?? nil }
    func data(for type: TokenType) -> Data? { attempt { try store.get(item(type)) } ?? nil }
    func delete(_ type: TokenType) -> Bool { attempt { try store.delete(item(type)) } ?? false }
    func clear() -> Bool { attempt { try store.clear() } != nil }

    private func item(_ type: TokenType) -> ItemIdentity { .password(service: "tokens", account: type.rawValue) }

    private func attempt<Value>(_ body: () throws -> Value) -> Value? {
        do {
            let value = try body()
            result.withLock { $0 = nil }
            return value
        } catch {
            result.withLock { $0 = (error as? SecretStoreError)?.code ?? .unexpected }
            return nil
        }
    }
}

@Suite("Flow 4: a token keychain with an enum of token types", .tags(.kernel))
struct TokenKeychainFlowTests {
    @Test("strings and data are set, read, deleted and cleared, and each call returns plain success")
    func wholeLife() throws {
        let scratch = try ScratchKeyring()
        let keychain = TokenKeychain(store: try scratch.store())

        #expect(keychain.string(for: .access) == nil)
        #expect(keychain.lastResultCode == nil)
        #expect(keychain.set("access", for: .access))
        #expect(keychain.set(Data([9, 0, 9]), for: .refresh))
        #expect(keychain.string(for: .access) == "access")
        #expect(keychain.data(for: .refresh) == Data([9, 0, 9]))
        #expect(keychain.data(for: .access) == Data("access".utf8))

        #expect(keychain.delete(.access))
        #expect(keychain.string(for: .access) == nil)
        #expect(keychain.data(for: .refresh) != nil)
        #expect(!keychain.delete(.access))

        #expect(keychain.clear())
        for type in TokenType.allCases { #expect(keychain.data(for: type) == nil) }
    }

    @Test("a failed call returns false, and its error code is available")
    func failure() throws {
        let scratch = try ScratchKeyring()
        let keychain = TokenKeychain(store: try scratch.store())
        #expect(keychain.set("kept", for: .access))
        #expect(!keychain.set(Data(repeating: 1, count: 2_000_000), for: .access))
        guard case .tooLarge(2_000_000, _)? = keychain.lastResultCode else {
            Issue.record("the error code is tooLarge")
            return
        }
        #expect(keychain.string(for: .access) == "kept")
        #expect(keychain.lastResultCode == nil)
    }
}
