import Foundation
import Keyutils
import SessionKeyring
import Threads

/// The workers of one process: a thread each.
struct WorkerThreads: Sendable {
    let configuration: WorkerConfiguration
    let sharedLog: SharedLog
    /// Which process of the run it is.
    let process: Int

    /// Runs them all to their end, in threads of their own.
    ///
    /// - Throws: what keeps a worker from its store.
    func run() throws {
        let first = process * configuration.plan.workersPerProcess
        try ThreadTeam.run(configuration.plan.workersPerProcess) { thread in
            try worker(first + thread).run(on: sharedLog)
        }
    }

    private func worker(_ slot: Int) throws -> Worker {
        let log = sharedLog.log(slot)
        let place = WorkerPlace(slot: slot, incarnation: log.incarnation, plan: configuration.plan)
        return Worker(plan: configuration.plan, place: place, store: try configuration.store(), log: log)
    }
}

/// What a process needs to know to run workers.
struct WorkerConfiguration: Codable, Sendable {
    let plan: StressPlan
    /// The keyring of the run.
    let ring: Int32
    /// The process that the workers are to end with.
    let parent: Int32

    /// As the shared log carries it to other processes.
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
        guard let fault = plan.fault else { return store }
        return SecretStore(backend: FaultyBackend(wrapping: store.backend, fault: fault))
    }
}
