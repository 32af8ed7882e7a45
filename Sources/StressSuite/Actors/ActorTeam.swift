import Foundation
import Keyutils
import SessionKeyring
import Threads

/// The actors of one process: a thread each.
struct ActorTeam: Sendable {
    let briefing: ActorBriefing
    let board: RunBoard
    /// Which process of the run it is.
    let process: Int

    /// Runs them all to their end, in threads of their own.
    ///
    /// - Throws: what keeps an actor from its store.
    func run() throws {
        let first = process * briefing.plan.actorsPerProcess
        try ThreadTeam.run(briefing.plan.actorsPerProcess) { thread in
            try actor(first + thread).run(on: board)
        }
    }

    private func actor(_ slot: Int) throws -> Actor {
        let log = board.log(slot)
        let place = ActorPlace(slot: slot, incarnation: log.incarnation, plan: briefing.plan)
        return Actor(plan: briefing.plan, place: place, store: try briefing.store(), log: log)
    }
}

/// What a process needs to know to run actors.
struct ActorBriefing: Codable, Sendable {
    let plan: StressPlan
    /// The keyring of the run.
    let ring: Int32
    /// The process that the actors are to end with.
    let parent: Int32

    /// As the board carries it to other processes.
    func encoded() throws(StressError) -> [UInt8] {
        do {
            return try Array(JSONEncoder().encode(self))
        } catch {
            throw StressError(.invalidPlan, "the plan can't be written down: \(error)")
        }
    }

    /// The store of the calling thread.
    func store() throws -> SecretStore {
        let store: SecretStore
        if plan.workload == .sessions {
            try SessionMembership.joinAnonymous()
            store = try SecretStore(.session, namespace: StressItems.namespace)
        } else {
            store = try SecretStore(.keyring(KeySerial(rawValue: ring)), namespace: StressItems.namespace)
        }
        guard let sabotage = plan.sabotage else { return store }
        return SecretStore(backend: FaultyBackend(wrapping: store.backend, sabotage: sabotage))
    }
}
