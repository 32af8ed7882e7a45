import TestSupport
import Testing

@Suite("Calls that compile at the top level of a program, and calls that don't compile", .tags(.anyUser))
struct TopLevelTests {
    private enum Program: Int, CaseIterable {
        case asynchronous, blocking, updateTimeout, typedErrors

        var text: String {
            switch self {
            case .asynchronous:
                """
                import SessionKeyring
                let store = try SecretStore()
                try await store.update(.password(service: "counter"), timeout: nil) { (old: Int?) in (old ?? 0) + 1 }
                try await store.slot(for: .password(service: "counter"), as: Int.self).update { old in (old ?? 0) + 1 }
                try await store.lease("count", waiting: .seconds(10)).release()
                if let lease = try await store.tryLease("count") { lease.release() }
                try await store.withLease("count", waiting: .seconds(10)) { lease in print(lease.isHeld) }
                """
            case .blocking:
                """
                func inTask(_ store: SecretStore, _ slot: SecretSlot<Int>) async throws {
                    try store.blockingUpdate(.password(service: "a"), timeout: nil) { (old: Int?) in (old ?? 0) + 1 }
                    try slot.blockingUpdate { old in (old ?? 0) + 1 }
                    try store.blockingLease("count", waiting: .seconds(10)).release()
                    try store.blockingTryLease("count")?.release()
                }
                """
            case .updateTimeout:
                """
                func count(in store: SecretStore, _ slot: SecretSlot<Int>) throws {
                    try store.blockingUpdate(.password(service: "a")) { (old: Int?) in (old ?? 0) + 1 }
                    try store.blockingUpdate(.password(service: "a"), timeout: nil) { (old: Int?) in (old ?? 0) + 1 }
                    try slot.blockingUpdate { old in (old ?? 0) + 1 }
                }
                """
            case .typedErrors:
                """
                func length(in store: SecretStore) throws(SecretStoreError) -> Int? {
                    try store.withBytes(of: .password(service: "a")) { bytes in bytes.byteCount }
                }
                """
            }
        }
    }

    private static let allMessages = Result { try TypeCheck.messages(aboutEach: Program.allCases.map(\.text)) }

    private func messages(about program: Program) throws -> [String] {
        try Self.allMessages.get()[program.rawValue]
    }

    @Test("the asynchronous forms compile at the top level")
    func asynchronous() throws {
        #expect(try messages(about: .asynchronous) == [])
    }

    @Test("the compiler refuses the blocking forms in tasks")
    func blocking() throws {
        let messages = try messages(about: .blocking)
        #expect(messages.count == 4)
        #expect(messages.allSatisfy { $0.contains("unavailable from asynchronous contexts") })
    }

    @Test("an update without a timeout for the new value does not compile")
    func updateTimeout() throws {
        let messages = try messages(about: .updateTimeout)
        #expect(messages.count == 1)
        #expect(messages.allSatisfy { $0.contains(": error: missing argument") && $0.contains("'timeout'") })
    }

    @Test("lending bytes to a closure that doesn't throw throws only the store's typed errors")
    func typedErrors() throws {
        #expect(try messages(about: .typedErrors) == [])
    }
}
