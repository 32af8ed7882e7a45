import Foundation
import Keyutils
import SessionKeyring

/// A run while it goes on: one round after the other, in a scratch keyring of its own.
struct RunCourse: ~Copyable {
    private let plan: StressPlan
    private let launcher: ActorLauncher?
    private let scratch: TemporaryKeyring
    private let store: SecretStore
    private let board: RunBoard
    private let briefing: ActorBriefing
    private let startedAt = Date().timeIntervalSince1970
    private var faults: Choices
    private var figures = FigureBook()
    private var checks = CheckBook()
    private var live: LiveFigures
    /// What each actor has done in the rounds before.
    private var steps: [Int]
    /// How many calls of all actors were written down.
    private var calls = 0
    private var incarnations: [Int]
    private var isInterrupted = false
    /// How many rounds have begun.
    private var rounds = 0

    /// Rounds are so long, in seconds, at most.
    private static let roundLength = 5.0
    /// Its counts end the classic test, on whatever machine.
    private static let classicLength = 600.0
    /// How many calls a round's logs may hold together.
    private static let mostCalls = 8_000_000

    init(plan: StressPlan, launcher: ActorLauncher?, quota: QuotaWatch) throws(StressError) {
        let scratch = try Self.ring(lasting: .seconds(Int(plan.longest) + 3_600))
        let briefing = ActorBriefing(plan: plan, ring: scratch.keyring.serial.rawValue, parent: getpid())
        let store = try Self.store(in: scratch)
        // One log more than actors, for the looks behind them.
        let board = try RunBoard(
            slots: plan.actors + 1, capacity: max(1_000, Self.mostCalls / (plan.actors + 1)),
            plan: try briefing.encoded())
        self.plan = plan
        self.launcher = launcher
        self.store = store
        self.board = board
        self.scratch = scratch
        self.briefing = briefing
        faults = Choices(seed: plan.seed, stream: .max)
        live = LiveFigures(plan: plan, board: board, quota: quota)
        steps = Array(repeating: 0, count: plan.actors)
        incarnations = Array(repeating: 0, count: plan.actors)
    }

    private static func ring(lasting lifetime: Duration) throws(StressError) -> TemporaryKeyring {
        do throws(KeyringError) {
            return try TemporaryKeyring(
                named: "skr-stress-\(getpid())", in: Keyring.resolve(.sessionKeyring), lifetime: KeyTimeout(lifetime))
        } catch {
            throw StressError(error)
        }
    }

    private static func store(in scratch: borrowing TemporaryKeyring) throws(StressError) -> SecretStore {
        do throws(SecretStoreError) {
            return try SecretStore(.keyring(scratch.keyring.serial), namespace: StressItems.namespace)
        } catch {
            throw StressError(error)
        }
    }

    mutating func run(
        isInterrupted: () -> Bool,
        report: (StressProgress) -> Void
    ) throws(StressError) {
        repeat {
            try runRound(isInterrupted: isInterrupted, report: report)
        } while !isOver
    }

    /// A run ends early where a check has failed: what comes after it tells nothing new.
    private var isOver: Bool {
        if isInterrupted || checks.hasFailed || plan.workload == .classic { return true }
        switch plan.length {
        case .seconds(let seconds): return figures.seconds >= seconds - 0.01
        case .operations(let count): return steps.allSatisfy { $0 >= count }
        }
    }

    private mutating func runRound(
        isInterrupted: () -> Bool,
        report: (StressProgress) -> Void
    ) throws(StressError) {
        try prepareRound()
        let crew: any Crew
        if plan.needsProcesses, let launcher {
            crew = ProcessCrew(plan: plan, board: board, launcher: launcher)
        } else {
            crew = ThreadCrew(briefing: briefing, board: board)
        }
        var length = plan.workload == .classic ? Self.classicLength : Self.roundLength
        if case .seconds(let seconds) = plan.length, plan.workload != .classic {
            length = min(length, seconds - figures.seconds)
        }
        let round = Round(plan: plan, board: board, crew: crew, seconds: length)
        var live = live
        let (secondsBefore, callsBefore, killsBefore) = (figures.seconds, figures.calls, figures.kills)
        live.beginRound(errorsSoFar: figures.errorCount)
        rounds += 1
        let hostile =
            plan.isHostile
            ? HostileRound(plan: plan, anchor: scratch.keyring, store: store, board: board, round: rounds) : nil
        let outcome = try round.run(faults: &faults, isInterrupted: isInterrupted) { elapsed, kills in
            let seconds = secondsBefore + elapsed
            guard live.isDue(seconds) else { return }
            report(live.look(seconds: seconds, operations: callsBefore, kills: killsBefore + kills))
        }
        self.isInterrupted = outcome.isInterrupted
        hostile?.end(in: &checks, replay: plan.replay)
        report(live.checking())
        self.live = live
        examine(outcome)
    }

    private mutating func prepareRound() throws(StressError) {
        try board.reset()
        for slot in 0..<plan.actors {
            let log = board.log(slot)
            log.incarnation = incarnations[slot]
            log.steps = steps[slot]
            log.limit = plan.stepsOfEach
        }
    }

    /// Checks what a round has left, and makes room for the next.
    private mutating func examine(_ outcome: Round.Outcome) {
        observe()
        for slot in 0..<plan.actors {
            steps[slot] = board.log(slot).steps
            incarnations[slot] = board.log(slot).incarnation + 1
        }
        let history = RoundHistory(plan: plan, board: board)
        calls += history.calls.count { $0.actor != 0 && (plan.workload != .lease || $0.kind == .lease) }
        RoundChecks(plan: plan, history: history, outcome: outcome, isQuotaTight: live.quota.isTight).note(in: &checks)
        CountChecks(plan: plan, history: history, outcome: outcome).note(in: &checks)
        for verdict in HistoryVerdicts.outcomes(for: history.histories, seed: plan.seed) { checks.note(verdict) }
        figures.add(history, outcome)
        if plan.workload != .sessions { aftermath.noteTimeouts(in: &checks) }
        if isOver, plan.workload != .sessions { aftermath.noteLeftovers(in: &checks) }
        clear()
    }

    private mutating func clear() {
        do throws(SecretStoreError) {
            try store.clear()
        } catch {
            checks.note("the namespace can be cleared", looked: 1, "clears", failure: "\(error)")
        }
    }

    private var aftermath: Aftermath { Aftermath(plan: plan, ring: scratch.keyring, store: store) }

    /// Looks at every item once more, when all actors have ended; those of sessions are gone with them.
    private func observe() {
        guard plan.workload != .sessions else { return }
        let observer = Actor(
            plan: plan, place: ActorPlace(observerOfItemsFrom: 0), store: store, log: board.log(plan.actors))
        for item in 0..<min(plan.items, board.capacity - 2) { observer.get(item) }
        observer.list()
    }

    /// Removes all that is left, and tells what was found.
    consuming func finish(comparingQuota: Bool) -> StressResult {
        noteExactness()
        let (plan, startedAt, figures, isInterrupted) = (plan, startedAt, figures, isInterrupted)
        var (checks, quota) = (checks, live.quota)
        _ = consume self
        if comparingQuota { checks.note(quota.settledOutcome()) }
        var result = StressResult(
            plan: plan, machine: .current, startedAt: startedAt, seconds: figures.seconds,
            isInterrupted: isInterrupted, operations: figures.operations, throughput: figures.throughput,
            checks: checks.outcomes, kills: figures.kills, quota: quota.figures)
        result.callsCutOff = figures.callsCutOff
        return result
    }

    private mutating func noteExactness() {
        guard plan.steps > 0, !isInterrupted, !checks.hasFailed else { return }
        // A section under a lease counts once, whatever is called in it.
        checks.note(
            "the actors have made exactly as many calls as they were asked to", looked: calls, "calls",
            failure: calls == plan.steps ? nil : "\(calls) calls, and \(plan.steps) were asked for")
    }
}
