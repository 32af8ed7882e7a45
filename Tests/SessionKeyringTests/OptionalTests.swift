import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Testing

private let item = ItemIdentity.password(service: "token")

@Suite("Optional values", .tags(.kernel))
struct OptionalTests {
    @Test("nil is refused and keeps the existing item, and a value is stored as itself")
    @available(*, deprecated, message: "so that it can call deprecated functions")
    func setAndAdd() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let (missing, there): (String?, String?) = (nil, "value")
        expectMissing { try store.add(missing, for: item) }
        #expect(try store.get(item) == nil)
        try store.add(there, for: item)
        expectMissing { try store.set(missing, for: item) }
        #expect(try store.get(item) == "value")
        try store.set(there.map { $0 + "s" }, for: item, timeout: .seconds(60))
        #expect(try store.get(item) == "values")
        guard case .after? = try store.attributes(of: item)?.expiry else {
            Issue.record("the item has no timeout")
            return
        }
        try store.delete(item)
        try store.add(there, for: item, timeout: .seconds(60))
        guard case .after? = try store.attributes(of: item)?.expiry else {
            Issue.record("the item has no timeout")
            return
        }
    }

    @Test("an optional value is stored with its timeout, refresh time and usable time")
    @available(*, deprecated, message: "so that it may call what is")
    func lifetime() throws {
        let store = SecretStore(backend: InMemoryBackend())
        let there: String? = "value"
        let (timeout, fresh, usable) = (Duration.seconds(36_000), Duration.seconds(3_600), Duration.seconds(18_000))
        for isAdded in [false, true] {
            try store.clear()
            if isAdded {
                try store.add(there, for: item, timeout: timeout, refreshAfter: fresh, usableFor: usable)
            } else {
                try store.set(there, for: item, timeout: timeout, refreshAfter: fresh, usableFor: usable)
            }
            for (said, expected) in [(item, timeout), (item.freshnessSentinel, fresh), (item.usableSentinel, usable)] {
                guard case .after(let left)? = try store.attributes(of: said)?.expiry else {
                    Issue.record("\(said) is gone, or has no end")
                    continue
                }
                #expect(left.atLeast > expected - .seconds(60) && left.atLeast <= expected)
            }
        }
    }

    @Test("an optional of an optional is stored as the value in it, and read back")
    func nested() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let nested: String?? = "text"
        try store.slot(for: item, as: String??.self).save(nested)
        #expect(try store.get(item) == "text")
        #expect(try store.slot(for: item, as: String??.self).load() == "text")
    }

    @Test("nil is refused even in generic code, and a value is read back")
    func generic() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let slot = store.slot(for: item, as: String?.self)
        try slot.save("raw")
        #expect(try store.get(item) == "raw")
        #expect(try slot.load() == "raw")
        expectMissing { try slot.save(nil) }
        expectMissing { try store.blockingUpdate(item, timeout: nil) { (_: String??) in .some(nil) } }
        #expect(try store.get(item) == "raw")
        try store.delete(item)
        expectMissing { _ = try store.blockingValue(for: item) { ProcessInfo.processInfo.environment["SKR_NOT_SET"] } }
        #expect(try !store.contains(item))

        let numbers = store.slot(for: item, as: [Int]?.self)
        try numbers.save([1, 2])
        #expect(try store.get(item, as: String.self) == "[1,2]")
        #expect(try numbers.load() == [1, 2])
    }

    @Test("storing an optional causes a compiler warning")
    func warning() throws {
        let program = """
            import SessionKeyring
            func store(_ token: String?, in store: SecretStore) throws {
                try store.set(token, for: .password(service: "token"))
                try store.add(token, for: .password(service: "token"))
                try store.set(token ?? "", for: .password(service: "token"))
            }
            """
        let messages = try TypeCheck.messages(about: program)
        #expect(messages.count == 2)
        #expect(messages.allSatisfy { $0.contains(": warning: ") && $0.contains("nil can't be stored") })
    }

    private func expectMissing(_ body: () throws -> Void) {
        #expect { try body() } throws: { error in (error as? SecretStoreError)?.detail == .missingValue }
    }
}
