import ArgumentParser
import CommandSupport
import StressSuite

extension Workload: ExpressibleByArgument {}
extension InjectedFault: ExpressibleByArgument {}

/// The options of `skr-stress`.
struct StressOptions: ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "skr-stress",
        abstract: "Let many use the store at once, and check all that they saw.",
        discussion: discussion,
        version: "skr-stress 0.1.0"
    )

    static let examples = """
        skr-stress
        skr-stress --workload classic
        skr-stress --processes 4 --duration 60s --kill-every 200 --report stress.html
        skr-stress --fault stale-read
        """

    @Option(help: ArgumentHelp("What the workers do.", valueName: "name"))
    var workload = Workload.mixed

    @Option(help: ArgumentHelp("Threads in each process.", valueName: "count"))
    var threads = 4

    @Option(help: ArgumentHelp("Processes.", valueName: "count"))
    var processes = 1

    @Option(help: ArgumentHelp("How long: 90s, 15m, 1h30m; 10s if nothing is said.", valueName: "duration"))
    var duration: DurationArgument?

    @Option(help: ArgumentHelp("How many calls each thread makes, instead of a duration.", valueName: "count"))
    var operations: Int?

    @Option(help: ArgumentHelp("How many items they share; 8 for most workloads.", valueName: "count"))
    var items: Int?

    @Option(help: ArgumentHelp("Bytes of a value: 200, or 48-2000; 48-200 for most.", valueName: "bytes"))
    var valueSize: ValueSizes?

    @Option(help: ArgumentHelp("What all random choices come from; another one each time if left out.", valueName: "n"))
    var seed: UInt64?

    @Option(help: ArgumentHelp("Kill a process in mid-operation, so often on average.", valueName: "milliseconds"))
    var killEvery: Int?

    @Option(help: ArgumentHelp("Break the store on purpose, to see that the checks notice.", valueName: "name"))
    var fault: InjectedFault?

    @Flag(help: "Let a neighbor put odd keys into the shared keyrings all the time.")
    var hostile = false

    @Option(
        help: ArgumentHelp("Write the result for programs; '-' is standard output.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var json: String?

    @Option(
        help: ArgumentHelp("Write a page with plots, in one file.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    var report: String?

    @Flag
    var scaling: ScalingChoice?

    /// For packagers.
    @Option(help: ArgumentHelp("Print the manual page, with this date.", visibility: .hidden))
    var manual: String?

    /// Rejects combinations of options that a plan can't express.
    func validate() throws {
        if workload == .classic {
            let given = [
                ("--duration", duration != nil), ("--operations", operations != nil),
                ("--scaling", scaling == .scaling),
            ]
            if let (option, _) = given.first(where: \.1) {
                throw ValidationError("\(option) does not go with the workload classic, whose counts are fixed")
            }
        }
        if duration != nil, operations != nil {
            throw ValidationError("--duration and --operations exclude each other")
        }
    }
}

/// Whether short runs with a growing number of workers follow.
enum ScalingChoice: EnumerableFlag {
    case scaling, noScaling

    static func help(for value: ScalingChoice) -> ArgumentHelp? {
        switch value {
        case .scaling: "Measure 1, 2, 4 and 8 threads and processes too, 1 s each, as --report does."
        case .noScaling: "Leave that out of the report."
        }
    }
}

/// The sizes of values in bytes, as users type them: `200`, or `48-2000`.
struct ValueSizes: ExpressibleByArgument {
    let smallest: Int
    let largest: Int

    init?(argument: String) {
        let parts = argument.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in part.allSatisfy(\.isASCII) ? UInt32(part) : nil }
        guard numbers.count == parts.count, let first = numbers.first, let last = numbers.last, parts.count <= 2 else {
            return nil
        }
        smallest = Int(first)
        largest = Int(last)
    }
}

extension StressOptions {
    var measuresScaling: Bool {
        switch scaling {
        case .scaling: true
        case .noScaling: false
        case nil: report != nil && workload != .classic
        }
    }

    private static let discussion = """
        Threads and processes set, get, delete, clear and list items of a keyring of their own as fast as they can. Each \
        value tells who wrote it and whether it is whole; all calls are recorded, and checked at the end: no value is \
        torn or was never written, no reader goes back in time, no update is lost, the counts are right, and for each \
        item there is an order of the calls that explains all answers (it is linearizable). With --kill-every, \
        processes are killed in mid-operation too, and nothing of theirs may be left. With --hostile, somebody else \
        puts keys of the wrong type, unreadable, revoked and expired ones and false leases into the same keyrings, and \
        everything must hold all the same.

        Progress goes to standard error, and a table to standard output at the end. The first Ctrl-C ends the run, and \
        what was done by then is checked and shown; the second ends all at once.

        A failure shows the smallest history that proves it, and the command that repeats it: the same seed makes each \
        worker choose the same calls. How they meet is the kernel's choice, so that it may take several tries.

        Exit code 0: no check failed; what could not be decided is shown as skipped. 70: one failed, or the run could \
        not be made. 69: no usable kernel keyring. \
        130 or 143: ended by Ctrl-C or SIGTERM, and all checks passed by then.

        WORKLOADS:
        \(listing(Workload.allCases.map { ($0.rawValue, $0.summary) }))

        JSON: an object:
          isClean        whether no check failed
          command        what makes this run again
          plan, machine  what was asked for, and where
          startedAt      in seconds since 1970
          seconds        for how long calls were made
          isInterrupted  whether somebody ended it early
          operations     of each kind of call its errors, by what was thrown, and
                         its latency in nanoseconds
          throughput     calls, errors and kills over time
          checks         each with its verdict, "passed", "failed" or "skipped",
                         and its evidence
          kills          how many processes were killed
          callsCutOff    how many calls were cut off by that
          quota          keys and bytes before, at most and after
          scaling        calls a second of so many threads and processes
        """

    private static func listing(_ rows: [(name: String, summary: String)]) -> String {
        let width = 2 + (rows.map(\.name.count).max() ?? 0)
        return rows.map { row in
            let indent = String(repeating: " ", count: width - row.name.count)
            return "  \(row.name)\(indent)\(row.summary)"
        }.joined(separator: "\n")
    }
}
