import Foundation
import SessionKeyring
import SessionKeyringTesting
import Testing

/// A helper like those in many programs: stores bytes or any `Codable` value by service and account.
private struct KeychainHelper: Sendable {
    let store: SecretStore

    func save(_ data: Data, service: String, account: String) throws(SecretStoreError) {
        let item = ItemIdentity.password(service: service, account: account)
        do throws(SecretStoreError) {
            try store.add(data, for: item)
        } catch {
            guard error.code == .duplicate else { throw error }
            try store.set(data, for: item)
        }
    }

    func read(service: String, account: String) throws(SecretStoreError) -> Data? {
        try store.get(.password(service: service, account: account))
    }

    func delete(service: String, account: String) throws(SecretStoreError) {
        try store.delete(.password(service: service, account: account))
    }

    func save<Value: Codable>(_ value: Value, service: String, account: String) throws {
        try save(try JSONEncoder().encode(value), service: service, account: account)
    }

    func read<Value: Codable>(_ type: Value.Type, service: String, account: String) throws(SecretStoreError) -> Value? {
        try store.get(.password(service: service, account: account), as: type)
    }
}

private struct Login: Codable, Equatable {
    var user: String
    var groups: [String]
    var age: Double
}

@Suite("Flow 2: a helper for data and for any Codable", .tags(.kernel))
struct DataHelperFlowTests {
    @Test("data is saved, replaced if it exists, read and deleted")
    func data() throws {
        let scratch = try ScratchKeyring()
        let helper = KeychainHelper(store: try scratch.store())
        #expect(try helper.read(service: "s", account: "a") == nil)
        try helper.save(Data([0, 1, 2, 255]), service: "s", account: "a")
        #expect(try helper.read(service: "s", account: "a") == Data([0, 1, 2, 255]))
        try helper.save(Data("updated".utf8), service: "s", account: "a")
        #expect(try helper.read(service: "s", account: "a") == Data("updated".utf8))
        #expect(try helper.read(service: "s", account: "b") == nil)
        try helper.delete(service: "s", account: "a")
        #expect(try helper.read(service: "s", account: "a") == nil)
        try helper.delete(service: "s", account: "a")
    }

    @Test("any Codable value is saved and read in the same way")
    func codable() throws {
        let scratch = try ScratchKeyring()
        let helper = KeychainHelper(store: try scratch.store())
        let login = Login(user: "zoë", groups: ["a", ""], age: 41.5)
        try helper.save(login, service: "s", account: "login")
        #expect(try helper.read(Login.self, service: "s", account: "login") == login)
        try helper.save([1, 2, 3], service: "s", account: "login")
        #expect(try helper.read([Int].self, service: "s", account: "login") == [1, 2, 3])
        #expect { try helper.read(Login.self, service: "s", account: "login") } throws: {
            guard case .undecodable(_)? = ($0 as? SecretStoreError)?.code else { return false }
            return true
        }
    }
}
