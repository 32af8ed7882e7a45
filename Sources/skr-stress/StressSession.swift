import CommandSupport
import Glibc
import StressSuite

/// A run as its user sees it: progress, result and exit code.
struct StressSession {
    let options: StressOptions
    let outputs: StressOutputs
    let makeRun: ScalingMeasurement.Runner

    func run() throws(CommandError) -> Int32 {
        let plan = StressPlan(options)
        let display = ProgressDisplay()
        display.say("\(plan.workload.rawValue), \(plan.workersText), \(plan.extent), seed \(plan.seed)")
        var result = try CommandError.translating { () throws(StressError) in
            try makeRun(plan, { Interruption.signal != nil }, display.show)
        }
        if options.scales, Interruption.signal == nil {
            display.say("measuring 1, 2, 4 and 8 threads and processes")
            ScalingMeasurement.extend(&result, makeRun: makeRun, isInterrupted: { Interruption.signal != nil })
        }
        return try tell(result)
    }

    /// Writes and prints the result, and returns the exit code.
    private func tell(_ result: StressResult) throws(CommandError) -> Int32 {
        var failures = outputs.write(result)
        if outputs.showsTable {
            let width = TerminalWidth.of(STDOUT_FILENO)
            try Console.write(ResultText(result: result, style: .wanted, width: width).text)
        }
        if !result.isClean {
            let hint = "repeat it: \(result.plan.commandLine)"
            failures.append(CommandError(exitCode: .internalError, message: result.verdict, hint: hint))
        }
        for failure in failures { Console.report(failure, by: StressProgram.name) }
        guard failures.isEmpty else { return ExitCode.internalError.rawValue }
        return Interruption.signal.map { 128 + $0 } ?? ExitCode.done.rawValue
    }
}

extension StressPlan {
    init(_ options: StressOptions) {
        self.init(
            workload: options.workload, threads: options.threads, processes: options.processes,
            length: options.operations.map(Length.operations)
                ?? .seconds(Double(options.duration?.components.seconds ?? 10)),
            items: options.items, largestValue: options.valueSize,
            // Short enough to type, and exact in any program that reads JSON.
            seed: options.seed ?? UInt64.random(in: 1...999_999_999), killEvery: options.killEvery,
            fault: options.fault, isHostile: options.isHostile)
    }

    /// The length of the run, in a few words.
    fileprivate var extent: String {
        if workload == .classic { return "fixed counts" }
        switch length {
        case .operations(let count): return "\(Figures.count(count)) calls by each thread"
        case .seconds(let seconds): return Figures.duration(seconds)
        }
    }
}

extension CommandError {
    /// Makes a call for a run, and translates its error into one of the command.
    static func translating<Result>(_ call: () throws(StressError) -> Result) throws(CommandError) -> Result {
        do throws(StressError) {
            return try call()
        } catch {
            throw CommandError(error)
        }
    }

    private init(_ error: StressError) {
        let exitCode: ExitCode =
            switch error.code {
            case .invalidPlan: .usage
            case .unavailable: .unavailable
            case .workerFailed, .outOfMemory: .internalError
            }
        self.init(
            exitCode: exitCode, message: error.description,
            hint: error.hint ?? (error.code == .invalidPlan ? StressProgram.hint : nil))
    }
}
