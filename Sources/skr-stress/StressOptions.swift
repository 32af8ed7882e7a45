import CommandSupport
import Glibc
import StressSuite

/// The options of `skr-stress`.
struct StressOptions: Verb {
    static let name = "skr-stress"
    static let summary = "Stress the store with many concurrent calls, and check their results."
    static var details: String { discussion }

    static let examples = """
        skr-stress
        skr-stress --workload classic
        skr-stress --processes 4 --duration 60s --kill-every 200 --scaling --report stress.html
        skr-stress --fault stale-read
        """

    let workload: Workload
    let threads, processes: Int
    let duration: Duration?
    let operations, items, valueSize, killEvery: Int?
    let seed: UInt64?
    let fault: InjectedFault?
    let isHostile, scales, isVersion: Bool
    let json, report: String?

    init(_ words: inout CommandWords) {
        let workload = words.choice(
            "--workload", value: "WORKLOAD", Workload.allCases.map(\.rawValue).joined(separator: "|"),
            "The kind of calls that the threads make. By default mixed.")
        self.workload = workload.flatMap(Workload.init) ?? .mixed
        threads = words.number("--threads", value: "COUNT", "Number of threads in each process. By default 4.") ?? 4
        processes = words.number("--processes", value: "COUNT", "Number of processes. By default 1.") ?? 1
        duration = words.duration("--duration", "Length of the run: 90s, 15m, 1h30m. By default 10s.")
        operations = words.number(
            "--operations", value: "COUNT", "Number of calls by each thread, instead of a duration.")
        items = words.number("--items", value: "COUNT", "Number of shared items; 8 for most workloads.")
        valueSize = words.number("--value-size", value: "BYTES", "Largest size of a value; 200 for most workloads.")
        seed = words.number("--seed", value: "N", "Seed of all random choices; a new one for each run if left out.")
        killEvery = words.number(
            "--kill-every", value: "MILLISECONDS",
            "Kill a process in the middle of an operation, on average this often.")
        let fault = words.choice(
            "--fault", value: "FAULT", InjectedFault.allCases.map(\.rawValue).joined(separator: "|"),
            "Break the store on purpose, to see whether the checks notice.")
        self.fault = fault.flatMap(InjectedFault.init)
        isHostile = words.flag(
            "--hostile", "Let a neighbor (see above) constantly put odd keys into the shared keyrings.")
        json = words.option("--json", value: "FILE", "Write the result as JSON; '-' is standard output.", .files)
        report = words.option(
            "--report", value: "FILE", "Write an HTML page with plots; '-' is standard output.", .files)
        scales = words.flag(
            "--scaling", "Also measure 1, 2, 4 and 8 threads and processes, 1 s each, which --report plots.")
        isVersion = words.flag("--version", "Show the version.")
        check(&words)
    }

    /// Notes combinations of options that a plan can't express.
    private func check(_ words: inout CommandWords) {
        if workload == .classic {
            let given = [
                ("--duration", duration != nil), ("--operations", operations != nil), ("--scaling", scales),
            ]
            if let (option, _) = given.first(where: \.1) {
                words.fail("\(option) can't be used with the workload classic, whose counts are fixed")
            }
        }
        if duration != nil, operations != nil { words.fail("--duration and --operations can't be used together") }
    }

    func run() throws { exit(try StressProgram.run(self)) }

    private static let discussion = """
        Threads and processes set, get, delete, clear and list items as fast as they can, in a keyring that only this \
        run uses. Each value contains its writer and a checksum. skr-stress records all calls, and checks them at the \
        end.

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
