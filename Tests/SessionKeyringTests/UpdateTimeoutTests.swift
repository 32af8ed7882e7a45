import SessionKeyring
import SessionKeyringTesting
import Testing

@Suite("An update makes no secret immortal by default", .tags(.kernel))
struct UpdateTimeoutTests {
    @Test("an update that does not say how long the new value lives does not compile")
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

    @Test("a slot's update gives the new value the slot's timeout, or the one that is named")
    func slot() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let slot = store.slot(for: .password(service: "a"), as: Int.self, timeout: .seconds(3_600))
        try slot.save(1)
        #expect(try slot.blockingUpdate { old in (old ?? 0) + 1 } == 2)
        #expect(try store.items().first?.expiry != .never)
        try slot.blockingUpdate(timeout: nil) { old in old }
        #expect(try store.items().first?.expiry == .never)
    }
}
