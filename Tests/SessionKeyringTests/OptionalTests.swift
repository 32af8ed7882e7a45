import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Testing

private let item = ItemIdentity.password(service: "token")

@Suite("Optional values", .tags(.kernel))
struct OptionalTests {
    private let kernel: ScratchStore
    private var store: SecretStore { kernel.store }

    init() throws { kernel = try ScratchStore() }

    @Test("nil is refused and keeps the existing item, and a value is stored as itself")
    func setAndAdd() throws {
        let (missing, there): (String?, String?) = (nil, "value")
        expectMissing { try store.add(missing, for: item) }
        #expect(try store.contains(item) == false)
        try store.add(there, for: item)
        expectMissing { try store.set(missing, for: item) }
        #expect(try store.get(item) == "value")
        try store.set(there.map { $0 + "s" }, for: item, lasting: .seconds(60))
        #expect(try store.get(item) == "values")
        #expect(try store.timeLeft(of: item) != nil)
        try store.delete(item)
        try store.add(there, for: item, lasting: .seconds(60))
        #expect(try store.timeLeft(of: item) != nil)
    }

    @Test("an optional of an optional is stored as the value in it, and read back")
    func nested() throws {
        let nested: String?? = "text"
        try store.slot(for: item, as: String??.self).save(nested)
        #expect(try store.get(item) == "text")
        #expect(try store.slot(for: item, as: String??.self).load() == "text")
    }

    @Test("nil is refused even in generic code, and a value is read back")
    func generic() async throws {
        let slot = store.slot(for: item, as: String?.self)
        try slot.save("raw")
        #expect(try store.get(item) == "raw")
        #expect(try slot.load() == "raw")
        expectMissing { try slot.save(nil) }
        expectMissing {
            _ = try blocking { try store.blockingUpdate(item, lasting: .scope) { (_: String??) in .some(nil) } }
        }
        #expect(try store.get(item) == "raw")
        try store.delete(item)
        await #expect {
            _ = try await store.value(for: item, as: String?.self) {
                ProcessInfo.processInfo.environment["SKR_NOT_SET"]
            }
        } throws: { error in (error as? SecretStoreError)?.detail == .missingValue }
        #expect(try !store.contains(item))

        let numbers = store.slot(for: item, as: [Int]?.self)
        try numbers.save([1, 2])
        #expect(try store.get(item, as: String.self) == "[1,2]")
        #expect(try numbers.load() == [1, 2])
    }

    private func expectMissing(_ body: () throws -> Void) {
        #expect { try body() } throws: { error in (error as? SecretStoreError)?.detail == .missingValue }
    }
}
