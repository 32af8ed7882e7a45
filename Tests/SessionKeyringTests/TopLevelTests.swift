import TestSupport
import Testing

@Suite("Calls that compile at the top level of a program, and calls that don't compile", .tags(.anyUser))
struct TopLevelTests {
    private enum Program: Int, CaseIterable {
        case asynchronous, blocking, updateTimeout, fetchMistakes, otherType

        var text: String {
            switch self {
            case .asynchronous:
                """
                import SessionKeyring
                let store = try SecretStore()
                try await store.update(.password(service: "counter"), lasting: .scope) { (old: Int?) in (old ?? 0) + 1 }
                try await store.slot(for: .password(service: "counter"), as: Int.self).update { old in (old ?? 0) + 1 }
                try await store.withLease("count", waiting: .seconds(10)) { lease in print(lease.fencingNumber) }
                """
            case .blocking:
                """
                func inTask(_ store: SecretStore, _ slot: SecretSlot<Int>) async throws {
                    try store.blockingUpdate(.password(service: "a"), lasting: .scope) { (old: Int?) in (old ?? 0) + 1 }
                    try store.withBlockingLease("count", waiting: .seconds(10)) { _ in }
                }
                """
            case .updateTimeout:
                """
                func count(in store: SecretStore) throws {
                    try store.blockingUpdate(.password(service: "a")) { (old: Int?) in (old ?? 0) + 1 }
                    try store.blockingUpdate(.password(service: "a"), lasting: .scope) { (old: Int?) in (old ?? 0) + 1 }
                }
                """
            case .fetchMistakes:
                """
                func fetch(from store: SecretStore) async throws {
                    _ = try await store.refreshedValue(for: .password(service: "a")) { old in ("x", .seconds(60)) }
                    _ = try await store.refreshedValue(for: .password(service: "a"), as: String.self) { old in
                        let new = "x"
                        return (new, .seconds(new.lenght))
                    }
                }
                """
            case .otherType:
                """
                func refuse(_ slot: SecretSlot<Int>) async throws { try await slot.invalidate("1") }
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
        #expect(messages.count == 2)
        #expect(messages.allSatisfy { $0.contains("unavailable from asynchronous contexts") })
    }

    @Test("an update without a lifetime for the new value does not compile")
    func updateTimeout() throws {
        let messages = try messages(about: .updateTimeout)
        #expect(messages.count == 1)
        #expect(messages.allSatisfy { $0.contains(": error: missing argument") && $0.contains("'lasting'") })
    }

    @Test("a missing type and a misspelt name in a fetch's closure are reported as such")
    func fetchMistakes() throws {
        let messages = try messages(about: .fetchMistakes)
        #expect(messages.contains { $0.contains("error: missing argument for parameter 'as'") })
        #expect(messages.contains { $0.contains("error: value of type 'String' has no member 'lenght'") })
    }

    @Test("a value of another type than the slot's can't be refused")
    func otherType() throws {
        let messages = try messages(about: .otherType)
        #expect(messages.count == 1)
        #expect(messages.allSatisfy { $0.contains("error: cannot convert value of type 'String'") })
    }
}
