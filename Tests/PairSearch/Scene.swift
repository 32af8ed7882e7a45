import CTestPause
import Glibc
import Keyutils
import SessionKeyring
import StressSuite

/// One interleaving, played in this process and two of its children.
struct Scene {
    /// What it came to, as the exit code of the process.
    struct Ending: OptionSet {
        let rawValue: Int32

        /// A problem was found, and printed.
        static let found = Ending(rawValue: 1)
        /// The first process ended before its stop, so that there are no further interleavings of this series.
        static let over = Ending(rawValue: 2)
        /// The second one did.
        static let secondOver = Ending(rawValue: 4)
    }

    private let interleaving: Interleaving
    private var stage: Stage
    private let reports = [Shared(CallReport()), Shared(CallReport())]
    private var processes = [test_process(), test_process()]
    private var problems: [String] = []
    /// Whether the second operation was seen to wait for the first.
    private var hasWaited = false
    private var operation: CInt?
    private var killedAt: UInt64?

    private var series: Series { interleaving.series }
    private var items: [ItemIdentity] {
        [SceneItem.contested, series.isApart ? SceneItem.bystander : SceneItem.contested]
    }

    /// - Throws: what keeps it from making the state.
    init(_ interleaving: Interleaving) throws {
        self.interleaving = interleaving
        let series = interleaving.series
        // What unlinks by name does no harm where what it saw was collected first.
        stage = try Stage(
            series.state, expiresSoon: series.stop.crossesExpiry, keepsDeadRing: series.first == .ringlessSet)
    }

    /// Plays it, and prints what is wrong.
    mutating func play() throws -> Ending {
        defer { for index in processes.indices { test_process_kill(&processes[index]) } }
        // The first one is not held up by anything that it could see.
        reports[0].value.mayRelease = true
        try start(0, stopBefore: interleaving.firstStop)
        let isStopped = run(10_000) && processes[0].stopped != 0
        operation = processes[0].operation
        if isStopped { try pass() }
        let isSecondStopped = try playSecond()
        endBoth()
        try examine()
        if !problems.isEmpty { tell() }
        var ending: Ending = problems.isEmpty ? [] : .found
        if !isStopped { ending.insert(.over) }
        if series.stop.stopsBoth && !isSecondStopped { ending.insert(.secondOver) }
        return ending
    }

    private mutating func start(_ index: Int, stopBefore: Int) throws {
        let run = OperationRun(
            operation: index == 0 ? series.first : series.second, role: index == 0 ? .first : .second,
            item: items[index], store: stage.stores[index], anchor: stage.anchor, report: reports[index],
            valueSize: series.state.valueSize,
            lasting: series.stop == .outlasting && index == 0 ? .milliseconds(40) : .seconds(5))
        let id = withUnsafeMutablePointer(to: &processes[index]) { process in
            let id = test_process_fork(process, CInt(stopBefore))
            if id == 0 {
                run.run { test_process_begin(process) }
                _exit(0)
            }
            return id
        }
        guard id > 0 else { throw SceneError("a process could not be started") }
    }

    /// Lets both run; false if one still does when the time is over.
    private mutating func run(_ milliseconds: Int) -> Bool {
        test_processes_run(&processes, CInt(processes.count), CInt(milliseconds))
    }

    /// What happens while the first process stands.
    private mutating func pass() throws {
        switch series.stop {
        case .plain, .double: break
        case .kill:
            test_process_kill(&processes[0])
            killedAt = MonotonicTime.now
        case .outlasting: usleep(series.first.usesShortLeases ? 60_000 : 2_300_000)
        case .expiry, .doubleExpiry: stage.awaitEndOfSecond()
        }
    }

    /// Runs the second operation to its end, or its stop; whether it stands there.
    private mutating func playSecond() throws -> Bool {
        try start(1, stopBefore: interleaving.secondStop)
        for _ in 0..<20 where !run(5) {
            if reports[1].value.isHolding { return false }
        }
        // One that is stopped itself does the rest of its work while the first is at work as well.
        hasWaited = series.stop.stopsBoth || processes[1].listener >= 0
        return processes[1].stopped != 0
    }

    /// Lets the first go on to its end, then the second; where one waits for the other, both.
    private mutating func endBoth() {
        test_process_resume(&processes[0], 0)
        _ = run(100)
        checkHeldLease()
        reports[1].value.mayRelease = true
        test_process_resume(&processes[1], 0)
        if !run(20_000) { problems.append("no answer after 20 s") }
    }

    /// While the second process holds the lease, nobody else gets it: not by a late release either.
    private mutating func checkHeldLease() {
        guard reports[1].value.isHolding, reports[0].value.outcome != .none || killedAt != nil else { return }
        do throws(SecretStoreError) {
            if try stage.observer.blockingTryLease(SceneItem.lease, lasting: .seconds(5)) != nil {
                problems.append("the second process holds the lease, and a third one got it")
            }
        } catch {
            problems.append("the lease that the second process holds can't be asked for: \(error)")
        }
    }

    private mutating func examine() throws {
        let first = Call(
            operation: series.first, role: .first, item: items[0], report: reports[0].value, killedAt: killedAt)
        let second = Call(
            operation: series.second, role: .second, item: items[1], report: reports[1].value, killedAt: nil)
        for (call, process) in zip([first, second], processes) where process.status != 0 && call.killedAt == nil {
            problems.append("\(call.role) process ended with status \(process.status)")
        }
        let examination = Examination(
            series: series, stage: stage, first: first, second: second, hasSecondWaited: hasWaited)
        problems += try examination.problems()
    }

    private func tell() {
        let place = "before \(KeyringCall.name(operation ?? 0))"
        var lines = ["FOUND \(interleaving.name): the first process stood \(place)"]
        lines += problems.flatMap { $0.split(separator: "\n") }.map { "    \($0)" }
        Output.write(lines.joined(separator: "\n") + "\n")
    }
}

extension Operation {
    /// Whether all leases that it takes last as long as it says itself.
    fileprivate var usesShortLeases: Bool { [.lease, .release].contains(self) }
}
