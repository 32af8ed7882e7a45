import Foundation
import SessionKeyring
import SessionKeyringTesting
import Testing
import Threads

/// The multithreaded test known from keychain wrappers, with the same workers, counts and short pauses.
///
/// The original counts its writes without a lock, which is itself a race. Here a lock guards the count.
@Suite("The classic concurrency test", .tags(.kernel, .threads))
struct ClassicConcurrencyTests {
    /// Returns a token that shows whether it is whole.
    private static func token(_ writer: Int, _ number: Int) -> String {
        let body = "writer-\(writer)-\(number)"
        return body + "#" + String(repeating: String(number % 10), count: number % 200) + "#" + body
    }

    private static func isWhole(_ token: String) -> Bool {
        let parts = token.split(separator: "#", omittingEmptySubsequences: false)
        return parts.count == 3 && parts[0] == parts[2] && Set(parts[1]).count <= 1
    }

    @Test("no value is torn while threads read, delete, clear and write the same item")
    func classic() throws {
        let scratch = try ScratchKeyring()
        let store = try scratch.store()
        let item = ItemIdentity.password(service: "classic", account: "token")
        let (writes, torn) = (Locked(0), Locked(0))

        @Sendable func read() throws {
            guard let value = try store.get(item, as: String.self), !Self.isWhole(value) else { return }
            torn.withLock { $0 += 1 }
        }

        let workers: [(threads: Int, rounds: Int, act: @Sendable (_ worker: Int, _ round: Int) throws -> Void)] = [
            (3, 400, { _, _ in try read() }),
            (2, 400, { _, _ in try store.delete(item) }),
            (2, 400, { _, _ in try store.clear() }),
            (
                2, 500,
                { worker, round in
                    try store.set(Self.token(worker, round), for: item, lasting: .seconds(60))
                    writes.withLock { $0 += 1 }
                }
            ),
        ]
        let roles = workers.enumerated().flatMap { kind, worker in Array(repeating: kind, count: worker.threads) }
        let main = roles.count
        try ThreadTeam.run(roles.count + 1) { index in
            if index == main {
                for round in 0..<1_000 {
                    try store.set(Self.token(index, round), for: item)
                    try read()
                }
                return
            }
            let worker = workers[roles[index]]
            for round in 0..<worker.rounds {
                // Now and then, the original switches to another queue, which changes the order of events.
                if round % 100 == 0 { usleep(5_000) }
                try worker.act(index, round)
            }
        }
        #expect(writes.withLock { $0 } == 1_000)
        #expect(torn.withLock { $0 } == 0)
    }
}
