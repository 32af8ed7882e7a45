import CommandSupport
import Glibc
import StressSuite

/// Runs `skr-stress`, from the words of the command line to the exit code.
package enum StressProgram {
    /// The first argument of a process that runs workers for another process.
    package static let workerWord = "--worker"
    /// The name of the program, as errors show it.
    static let name = "skr-stress"
    static let hint = "'skr-stress --help' shows the options"
    private static let version = "skr-stress 0.1.0"

    package static func main(_ words: [String]) -> Int32 {
        do throws(CommandError) {
            guard let options = try parse(words) else { return ExitCode.done.rawValue }
            return try run(options)
        } catch {
            Console.report(error, by: name)
            return error.exitCode.rawValue
        }
    }

    static func run(_ options: StressOptions) throws(CommandError) -> Int32 {
        if options.isVersion {
            try Console.writeLine(version)
            return ExitCode.done.rawValue
        }
        // Checks the plan before any file is touched.
        _ = try CommandError.translating { () throws(StressError) in
            try StressPlan(options).checked(canLaunch: true)
        }
        let outputs = try StressOutputs(options)
        Interruption.watch()
        // Workers run this very program, whatever PATH contains, even for a user without access to its directory.
        let launcher = WorkerLauncher(executable: "/proc/self/exe", arguments: [workerWord])
        let session = StressSession(options: options, outputs: outputs) {
            plan, isInterrupted, report throws(StressError) in
            // Root has no quota that could be full, so this workload needs an ordinary user.
            if plan.workload == .quota { try OrdinaryUser.begin() }
            defer { OrdinaryUser.end() }
            return try StressRun(plan: plan, launcher: launcher).run(isInterrupted: isInterrupted, report: report)
        }
        return try session.run()
    }

    private static let exitCodes = [
        ("0", "no check failed; a check that can't decide is shown as skipped"),
        ("64", "wrong usage, such as an unknown option or a number out of range"), ("69", "no usable kernel keyring"),
        ("70", "a check failed, or the run was not possible"),
        ("130, 143", "ended by Ctrl-C or SIGTERM, and no check failed until then"),
    ]

    /// Parses the options; `nil` if this has printed the help, the version or the manual page.
    static func parse(_ words: [String]) throws(CommandError) -> StressOptions? {
        let line = CommandLineWords(leaking: words)
        return try StressOptions.reading(line) { call, date in
            var more = ManualPage.Surroundings()
            more.exitCodes = exitCodes
            return ManualPage(of: [call], version: version, date: date, more)
        }
    }
}
