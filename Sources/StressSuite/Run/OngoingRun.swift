import Foundation
import Keyutils
import SessionKeyring
import Threads

/// A run in progress: one round after another, in its own scratch keyring.
struct OngoingRun: ~Copyable {
    private let plan: StressPlan
    private let launcher: WorkerLauncher?
    private let scratch: TemporaryKeyring
    private let store: SecretStore
    private let sharedLog: SharedLog
    private let configuration: WorkerConfiguration
    private let makeBackend: BackendMaker?
    private let startedAt = Date().timeIntervalSince1970
    private var faults: Choices
    private var metrics = Metrics()
    private var checks: CheckResults
    private var quota: QuotaWatch
    /// How many steps each worker has made in the earlier rounds.
    private var steps: [Int]
    /// How many calls of all workers have been logged.
    private var calls = 0
    private var incarnations: [Int]
    private var isInterrupted = false
    /// How many rounds have begun.
    private var rounds = 0

    /// The longest round, in seconds.
    private static let roundLength = 5.0
    /// The time limit of the classic test, in seconds.
    ///
    /// On any machine, its counts end the test earlier.
    private static let classicLength = 600.0
    /// The most calls that the logs of a round can hold together.
    private static let mostCalls = 8_000_000

    init(
        plan: StressPlan, launcher: WorkerLauncher?, quota: QuotaWatch, openBackends: BackendOpener?
    ) throws(StressError) {
        let scratch = try StressError.translating {
            try TemporaryKeyring(
                for: .scratch, in: Keyring.resolve(.sessionKeyring),
                lifetime: KeyTimeout(.seconds(Int(plan.longest) + 3_600)))
        }
        let ring = scratch.keyring.serial
        let configuration = WorkerConfiguration(plan: plan, ring: ring.rawValue, parent: getpid())
        let store = try StressError.translating { try SecretStore(.keyring(ring), namespace: StressItems.namespace) }
        // There is one log more than workers, for the reads after the workers have ended.
        let sharedLog = try SharedLog(
            slots: plan.workers + 1, capacity: max(1_000, Self.mostCalls / (plan.workers + 1)),
            plan: try configuration.encoded())
        makeBackend = try StressError.translating { try openBackends?(ring, StressItems.namespace) }
        self.plan = plan
        self.launcher = launcher
        self.store = store
        self.sharedLog = sharedLog
        self.scratch = scratch
        self.configuration = configuration
        checks = CheckResults(replay: "seed \(plan.seed)")
        faults = Choices(seed: plan.seed, stream: .max)
        self.quota = quota
        self.quota.ownKeys.ring = Keyring(ring)
        steps = Array(repeating: 0, count: plan.workers)
        incarnations = Array(repeating: 0, count: plan.workers)
    }

    mutating func run(isInterrupted: () -> Bool, report: (StressProgress) -> Void) throws(StressError) {
        repeat {
            try runRound(isInterrupted: isInterrupted, report: report)
        } while !isOver
    }

    /// Whether the run has ended.
    ///
    /// A failed check ends it early, because more rounds would show nothing new.
    private var isOver: Bool {
        if isInterrupted || checks.hasFailed || plan.workload == .classic { return true }
        switch plan.length {
        case .seconds(let seconds): return metrics.seconds >= seconds - 0.01
        case .operations(let count): return steps.allSatisfy { $0 >= count }
        }
    }

    private mutating func runRound(
        isInterrupted: () -> Bool, report: (StressProgress) -> Void
    ) throws(StressError) {
        try prepareRound()
        let pool: any WorkerPool
        if plan.needsProcesses, let launcher {
            pool = ProcessPool(plan: plan, sharedLog: sharedLog, launcher: launcher)
        } else {
            pool = ThreadPool(configuration: configuration, sharedLog: sharedLog, makeBackend: makeBackend)
        }
        var length = plan.workload == .classic ? Self.classicLength : Self.roundLength
        if case .seconds(let seconds) = plan.length, plan.workload != .classic {
            length = min(length, seconds - metrics.seconds)
        }
        let round = Round(plan: plan, sharedLog: sharedLog, pool: pool, seconds: length)
        // Not the member itself, because the run's closure changes other members meanwhile.
        var faults = faults
        var lastLook = 0.0
        let errorsBefore = metrics.errorCount
        rounds += 1
        let hostile =
            plan.isHostile
            ? HostileRound(plan: plan, anchor: scratch.keyring, store: store, sharedLog: sharedLog, round: rounds) : nil
        let outcome = try round.run(faults: &faults, isInterrupted: isInterrupted) { elapsed, kills in
            guard elapsed - lastLook >= 0.1 else { return }
            lastLook = elapsed
            quota.look()
            let logs = (0..<plan.workers).map(sharedLog.log)
            report(
                StressProgress(
                    seconds: metrics.seconds + elapsed, operations: logs.reduce(metrics.calls) { $0 + $1.count },
                    errors: logs.reduce(errorsBefore) { $0 + $1.errors }, kills: metrics.kills + kills))
        }
        self.faults = faults
        self.isInterrupted = outcome.isInterrupted
        hostile?.end(in: &checks)
        // A short round has had no other look.
        quota.look()
        examine(outcome)
    }

    private mutating func prepareRound() throws(StressError) {
        try sharedLog.reset()
        for slot in 0..<plan.workers {
            let log = sharedLog.log(slot)
            log.incarnation = incarnations[slot]
            log.steps = steps[slot]
            log.limit = plan.stepsOfEach
        }
    }

    /// Checks the results of a round, and prepares the next round.
    private mutating func examine(_ outcome: RoundOutcome) {
        observe()
        for slot in 0..<plan.workers {
            steps[slot] = sharedLog.log(slot).steps
            incarnations[slot] = sharedLog.log(slot).incarnation + 1
        }
        let history = RoundHistory(plan: plan, sharedLog: sharedLog)
        calls += history.calls.count { $0.worker != 0 && (plan.workload != .lease || $0.kind == .lease) }
        RoundChecks(
            plan: plan, history: history, outcome: outcome, isQuotaTight: quota.isTight, isFirst: rounds == 1
        ).addOutcomes(to: &checks)
        for verdict in HistoryVerdicts.outcomes(for: history.histories, seed: plan.seed) { checks.add(verdict) }
        metrics.add(history, outcome)
        if plan.workload != .sessions { postRunChecks.addTimeouts(to: &checks) }
        if isOver, plan.workload != .sessions { postRunChecks.addOrphans(to: &checks) }
        clear()
    }

    private mutating func clear() {
        do throws(SecretStoreError) {
            try store.clear()
        } catch {
            checks.add("the namespace can be cleared", looked: 1, "clears", failure: "\(error)")
        }
    }

    private var postRunChecks: PostRunChecks {
        PostRunChecks(plan: plan, ring: scratch.keyring, store: store, hasTexts: makeBackend != nil)
    }

    /// Reads every item once more after all workers have ended.
    ///
    /// The items of the workload `sessions` are gone by then.
    private func observe() {
        guard plan.workload != .sessions else { return }
        let observer = Worker(plan: plan, place: .observer, store: store, log: sharedLog.log(plan.workers))
        for item in 0..<min(plan.items, sharedLog.capacity - 2) { observer.get(item) }
        observer.list()
    }

    /// Removes everything that the run has made, and returns the result.
    ///
    /// - Parameter limit: how long to wait until no more quota is in use than before the run; `nil` to not compare it.
    consuming func finish(comparingQuotaWithin limit: Duration?) -> StressResult {
        addExactness()
        let (plan, startedAt, metrics, isInterrupted) = (plan, startedAt, metrics, isInterrupted)
        var (checks, quota) = (checks, quota)
        _ = consume self
        if let limit { checks.add(quota.settledOutcome(within: limit)) }
        return StressResult(
            plan: plan, machine: .current, startedAt: startedAt, seconds: metrics.seconds,
            isInterrupted: isInterrupted, operations: metrics.operations, throughput: metrics.throughput,
            checks: checks.outcomes, kills: metrics.kills, callsCutOff: metrics.callsCutOff, quota: quota.figures)
    }

    private mutating func addExactness() {
        guard plan.steps > 0, !isInterrupted, !checks.hasFailed else { return }
        // A section under a lease counts as one call, whatever it calls.
        checks.add(
            "the workers have made exactly as many calls as requested", looked: calls,
            plan.workload == .lease ? "leases" : "calls",
            failure: calls == plan.steps ? nil : "\(calls) calls, but \(plan.steps) were requested")
    }
}
