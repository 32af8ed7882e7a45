import Foundation
import Keyutils
import SessionKeyring
import Threads

/// The workers of one process, each in its own thread.
struct WorkerThreads: Sendable {
    let configuration: WorkerConfiguration
    let sharedLog: SharedLog
    /// The number of the process in the run.
    let process: Int
    /// Makes the backend of each worker's store; `nil` for the keyring itself.
    var makeBackend: BackendMaker?

    /// Runs all workers to their end.
    ///
    /// - Throws: the error that keeps a worker from its store.
    func run() throws {
        let first = process * configuration.plan.workersPerProcess
        try ThreadTeam.run(configuration.plan.workersPerProcess) { thread in
            try worker(first + thread).run(on: sharedLog)
        }
    }

    private func worker(_ slot: Int) throws -> Worker {
        let log = sharedLog.log(slot)
        let place = WorkerPlace(slot: slot, incarnation: log.incarnation, plan: configuration.plan)
        let store = try makeBackend.map { SecretStore(backend: try $0()) } ?? configuration.store()
        return Worker(plan: configuration.plan, place: place, store: store, log: log)
    }
}

/// The parameters that a process needs to run workers.
struct WorkerConfiguration: Codable, Sendable {
    let plan: StressPlan
    /// The serial of the run's keyring.
    let ring: Int32
    /// The process whose end also ends the workers.
    let parent: Int32

    /// Encodes the configuration for the shared log, from which other processes read it.
    func encoded() throws(StressError) -> [UInt8] {
        do {
            return try Array(JSONEncoder().encode(self))
        } catch {
            throw StressError(.invalidPlan, "the plan can't be encoded: \(error)")
        }
    }

    /// Opens the store for the calling thread.
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
