import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing

@Suite("An update does not make a secret immortal by default", .tags(.kernel))
struct UpdateTimeoutTests {
    @Test("an update without a timeout for the new value does not compile", .tags(.anyUser))
    func required() throws {
        let program = """
            import SessionKeyring
            func count(in store: SecretStore, _ slot: SecretSlot<Int>) throws {
                try store.blockingUpdate(.password(service: "a")) { (old: Int?) in (old ?? 0) + 1 }
                try store.blockingUpdate(.password(service: "a"), timeout: nil) { (old: Int?) in (old ?? 0) + 1 }
                try slot.blockingUpdate { old in (old ?? 0) + 1 }
            }
            """
        let messages = try TypeCheck.messages(about: program)
        #expect(messages.count == 1)
        #expect(messages.allSatisfy { $0.contains(": error: missing argument") && $0.contains("'timeout'") })
    }

    @Test("a slot's update gives the new value the slot's timeout, or the one that is given")
    func slot() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let slot = store.slot(for: .password(service: "a"), as: Int.self, timeout: .seconds(3_600))
        try slot.save(1)
        #expect(try slot.blockingUpdate { old in (old ?? 0) + 1 } == 2)
        #expect(try store.items().first?.expiry != .never)
        try slot.blockingUpdate(timeout: .seconds(60)) { old in old }
        guard case .after(let left) = try store.items().first?.expiry else { throw StopError() }
        #expect(left.atLeast <= .seconds(60))
    }

    private struct StopError: Error {}

    @Test("a slot saves with its own timeout unless another is given, with or without a refresh time")
    func saving() async throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let slot = store.slot(for: .password(service: "a"), as: Int.self, timeout: .seconds(3_600))
        func left() throws -> Duration {
            guard case .after(let left) = try slot.attributes()?.expiry else { throw StopError() }
            return left.atLeast
        }
        try slot.save(1)
        #expect(try left() > .seconds(60))
        try slot.save(2, timeout: .seconds(60))
        #expect(try left() <= .seconds(60))
        try slot.save(3, refreshAfter: .seconds(1_800))
        #expect(try left() > .seconds(60))
        try slot.save(4, timeout: .seconds(60), refreshAfter: .seconds(30))
        #expect(try left() <= .seconds(60))
        #expect(try await slot.value { old in Fetched((old ?? 0) + 1) } == 4)
        try slot.delete()
        try slot.add(5)
        #expect(try left() > .seconds(60))
        #expect(try await slot.value { 6 } == 5)
    }
}
