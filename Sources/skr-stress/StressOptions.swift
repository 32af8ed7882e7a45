import ArgumentParser
import CommandSupport
import StressSuite

extension Workload: ExpressibleByArgument {}
extension InjectedFault: ExpressibleByArgument {}

/// The options of `skr-stress`.
struct StressOptions: ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "skr-stress",
        abstract: "Stress the store with many concurrent calls, and check their results.",
        discussion: discussion,
        version: "skr-stress 0.1.0"
    )

    static let examples = """
        skr-stress
        skr-stress --workload classic
        skr-stress --processes 4 --duration 60s --kill-every 200 --scaling --report stress.html
        skr-stress --fault stale-read
        """

    @Option(help: ArgumentHelp("The kind of calls that the threads make.", valueName: "name"))
    var workload = Workload.mixed

    @Option(help: ArgumentHelp("Number of threads in each process.", valueName: "count"))
    var threads = 4

    @Option(help: ArgumentHelp("Number of processes.", valueName: "count"))
    var processes = 1

    @Option(help: ArgumentHelp("Length of the run: 90s, 15m, 1h30m; 10s by default.", valueName: "duration"))
    var duration: DurationArgument?

    @Option(help: ArgumentHelp("Number of calls by each thread, instead of a duration.", valueName: "count"))
    var operations: Int?

    @Option(help: ArgumentHelp("Number of shared items; 8 for most workloads.", valueName: "count"))
    var items: Int?

    @Option(help: ArgumentHelp("Largest size of a value; 200 for most workloads.", valueName: "bytes"))
    var valueSize: Int?

    @Option(help: ArgumentHelp("Seed of all random choices; a new one for each run by default.", valueName: "n"))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "Kill a process in the middle of an operation, on average this often.", valueName: "milliseconds"))
    var killEvery: Int?

    @Option(help: ArgumentHelp("Break the store on purpose, to see whether the checks notice.", valueName: "name"))
    var fault: InjectedFault?

    @Flag(help: "Let a neighbor (see above) constantly put odd keys into the shared keyrings.")
    var hostile = false

    @Option(
        help: ArgumentHelp("Write the result as JSON; '-' is standard output.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var json: String?

    @Option(
        help: ArgumentHelp("Write an HTML page with plots; '-' is standard output.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    var report: String?

    @Flag(help: "Also measure 1, 2, 4 and 8 threads and processes, 1 s each, which --report plots.")
    var scaling = false

    /// For packagers.
    @Option(help: ArgumentHelp("Print the manual page with this date.", visibility: .hidden))
    var manual: String?

    /// Rejects combinations of options that a plan can't express.
    func validate() throws {
        if workload == .classic {
            let given = [
                ("--duration", duration != nil), ("--operations", operations != nil),
                ("--scaling", scaling),
            ]
            if let (option, _) = given.first(where: \.1) {
                throw ValidationError("\(option) can't be used with the workload classic, whose counts are fixed")
            }
        }
        if duration != nil, operations != nil {
            throw ValidationError("--duration and --operations can't be used together")
        }
    }
}

extension StressOptions {
    private static let discussion = """
        Threads and processes set, get, delete, clear and list items as fast as they can, in a keyring that only this \
        run uses. Each value contains its writer and a checksum. skr-stress records all calls, and checks them at the end.

        A run passes if
          - no value is torn (a mix of two values)
          - no read finds a value that nobody wrote
          - no reader goes back to an older value
          - no update is lost, and all counts are right
          - for each item, some order of the calls explains all results (linearizable)

        With --kill-every, skr-stress also kills processes in the middle of an operation; they must leave only items. \
        With --hostile, a neighbor (another thread) puts keys of the wrong type, unreadable, revoked and expired keys \
        and false leases into the same keyrings. All checks must still pass.

        Progress goes to standard error, every second on a terminal, and a table to standard output at the end. \
        The first Ctrl-C ends the run; skr-stress checks and shows its calls so far. The second Ctrl-C ends skr-stress \
        immediately.

        After a failure, the output shows the calls that are involved, and a command that repeats the run. \
        With the same seed, each thread chooses the same calls. The kernel decides in which order they run, so you \
        may need several tries.

        Exit codes:
          0         no check failed; a check that can't decide is 'skipped'
          64        wrong usage
          69        no usable kernel keyring
          70        a check failed, or the run was not possible
          130, 143  ended by Ctrl-C or SIGTERM, and no check failed until then

        WORKLOADS:
        \(listing(Workload.allCases.map { ($0.rawValue, $0.summary) }))

        JSON: an object:
          isClean        whether no check failed
          command        the command that repeats this run
          plan, machine  the options of this run, and the machine
          startedAt      when the run started, in seconds since 1970
          seconds        how long the threads made calls
          isInterrupted  whether a signal ended the run early
          operations     for each kind of call, the number of errors by message,
                         and the latency in nanoseconds
          throughput     calls, errors and kills over time
          checks         each with its verdict, "passed", "failed" or "skipped",
                         and its evidence
          kills          how many processes were killed
          callsCutOff    during how many calls a process was killed
          quota          keys and bytes in use before, at most and after
          scaling        calls a second by number of threads and processes
        """

    private static func listing(_ rows: [(name: String, summary: String)]) -> String {
        let width = 2 + (rows.map(\.name.count).max() ?? 0)
        return rows.map { row in
            let indent = String(repeating: " ", count: width - row.name.count)
            return "  \(row.name)\(indent)\(row.summary)"
        }.joined(separator: "\n")
    }
}
