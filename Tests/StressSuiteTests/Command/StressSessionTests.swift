import CommandSupport
import Foundation
import Glibc
import Keyutils
import SessionKeyring
import StressSuite
import Testing

@testable import skr_stress

/// A session with invented results instead of runs.
private enum MadeUpSession {
    /// Ends the process as `skr-stress` would.
    static func end(_ words: [String], makeRun: @escaping ScalingMeasurement.Runner) throws -> Never {
        guard let options = try StressProgram.parse(words) else { exit(0) }
        let session = StressSession(options: options, outputs: try StressOutputs(options), makeRun: makeRun)
        exit(try session.run())
    }

    /// Returns a result as if the plan had been run without a problem.
    static func success(_ plan: StressPlan) -> StressResult {
        var result = SampleResult.clean()
        result.plan = plan
        result.isInterrupted = false
        result.scaling = []
        return result
    }

    /// Unblocks signals, which the threads that run tests block.
    static func allowSignals() {
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        Interruption.watch()
    }
}

@Suite("Runs of the command")
struct StressSessionTests {
    private func output(of end: ExitTest.Result?) -> String {
        String(decoding: end?.standardOutputContent ?? [], as: UTF8.self)
    }

    private func errors(of end: ExitTest.Result?) -> String {
        String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test("a clean run ends with 0: the table on standard output, the rest on standard error")
    func clean() async throws {
        let end = await #expect(
            processExitsWith: .exitCode(0), observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            try MadeUpSession.end(["--seed", "5", "--duration", "3s"]) { plan, _, _ in MadeUpSession.success(plan) }
        }
        #expect(output(of: end).hasPrefix("CALL "))
        #expect(output(of: end).contains("seed 5\n"))
        #expect(errors(of: end).contains("mixed, 4 threads, 3.0 s, seed 5\n"))
        #expect(!errors(of: end).contains("\u{1B}"))
    }

    @Test("a failed run ends with 70, and prints how to repeat it")
    func failed() async throws {
        let end = await #expect(
            processExitsWith: .exitCode(70), observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            try MadeUpSession.end([]) { _, _, _ in SampleResult.failed() }
        }
        #expect(output(of: end).contains("FAILED: no reader goes back in time\n"))
        let errors = errors(of: end)
        #expect(errors.contains("skr-stress: error: 2 of 6 checks failed, 1 skipped\n"))
        #expect(errors.contains("skr-stress: hint: repeat it: \(SampleResult.failed().plan.commandLine)\n"))
    }

    @Test("with --json -, standard output has only JSON, including runs with more and more workers")
    func scaling() async throws {
        let end = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
            try MadeUpSession.end(["--json", "-", "--scaling", "--threads", "3", "--kill-every", "9"]) { plan, _, _ in
                var result = MadeUpSession.success(plan)
                result.seconds = 1
                guard plan.threads != 3 else { return result }
                guard plan.length == .seconds(1), plan.killEvery == nil else { exit(99) }
                result.operations[0].latency.count = 1_000 * plan.threads + 10 * plan.processes
                result.operations = [result.operations[0]]
                return result
            }
        }
        let result = try JSONDecoder().decode(StressResult.self, from: Data(end?.standardOutputContent ?? []))
        #expect(result.plan.threads == 3 && result.plan.killEvery == 9)
        #expect(result.scaling.map(\.rate) == [1_010, 2_010, 4_010, 8_010, 1_020, 1_040, 1_080])
        #expect(result.scaling.map(\.threads) == [1, 2, 4, 8, 1, 1, 1])
        #expect(result.scaling.map(\.processes) == [1, 1, 1, 1, 2, 4, 8])
    }

    @Test("a failure in one of the scaling runs fails the whole run")
    func failedScaling() async throws {
        let end = await #expect(processExitsWith: .exitCode(70), observing: [\.standardOutputContent]) {
            try MadeUpSession.end(["--scaling"]) { plan, _, _ in
                plan.threads == 2 ? SampleResult.failed(evidenceLines: 2) : MadeUpSession.success(plan)
            }
        }
        #expect(output(of: end).contains("FAILED: no reader goes back in time (with 2 threads)\n"))
        #expect(!output(of: end).contains("(with 4 threads)"))
        let other = await #expect(processExitsWith: .exitCode(70), observing: [\.standardOutputContent]) {
            try MadeUpSession.end(["--scaling"]) { plan, _, _ throws(StressError) in
                guard plan.processes == 1 else { throw StressError(.workerFailed, "process 2 ended by itself") }
                return MadeUpSession.success(plan)
            }
        }
        #expect(output(of: other).contains("the run is possible (with 2 processes with 1 thread each)"))
        #expect(output(of: other).contains("process 2 ended by itself\n"))
    }

    @Test("a missing keyring is reported without a system call or an error number")
    func noKeyring() throws {
        let error = KeyringError(errno: EKEYREVOKED, in: .search)
        for error: any Error in [error, SecretStoreError(error)] {
            #expect {
                try StressError.translating { throw error }
            } throws: {
                ($0 as? StressError)?.description
                    == "no keyring for the run: this login session has ended and its keyring was revoked"
            }
        }
    }

    @Test("a run that can't be made is an error with its hint and its exit code")
    func impossible() async throws {
        let end = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
            let cases: [(StressError.Code, CInt)] = [
                (.invalidPlan, 64), (.unavailable, 69), (.workerFailed, 70), (.outOfMemory, 70),
            ]
            for (code, exitCode) in cases {
                do {
                    try MadeUpSession.end([]) { _, _, _ throws(StressError) in
                        throw StressError(code, "\(code)", hint: "try another")
                    }
                } catch let error as CommandError {
                    Console.report(error, by: StressProgram.name)
                    guard error.exitCode.rawValue == exitCode else { exit(99) }
                }
            }
            exit(0)
        }
        let errors = errors(of: end)
        for code in ["invalidPlan", "unavailable", "workerFailed", "outOfMemory"] {
            #expect(errors.contains("skr-stress: error: \(code)\nskr-stress: hint: try another\n"))
        }
    }

    @Test(
        "the first signal ends the run, whose result is still shown",
        arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(CInt, CInt)])
    func interrupted(signal: CInt, code: CInt) async throws {
        let end = await #expect(
            processExitsWith: .failure, observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [signal] in
            MadeUpSession.allowSignals()
            try MadeUpSession.end(["--scaling"]) { plan, isInterrupted, _ in
                guard !isInterrupted() else { exit(99) }
                raise(signal)
                var result = MadeUpSession.success(plan)
                result.isInterrupted = isInterrupted()
                return result
            }
        }
        #expect(end?.exitStatus == .exitCode(code))
        #expect(output(of: end).contains(", ended early, seed "))
        #expect(errors(of: end).contains("ending the run and checking it; press Ctrl-C again to stop immediately\n"))
    }

    @Test("an interrupted run with a failed check counts as failed")
    func interruptedAndFailed() async throws {
        await #expect(processExitsWith: .exitCode(70)) {
            MadeUpSession.allowSignals()
            try MadeUpSession.end([]) { _, _, _ in
                raise(SIGINT)
                return SampleResult.failed()
            }
        }
    }

    @Test("the second signal ends the process immediately, whichever it is")
    func twice() async throws {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            MadeUpSession.allowSignals()
            try MadeUpSession.end([]) { _, _, _ in
                raise(SIGINT)
                raise(SIGTERM)
                exit(99)
            }
        }
    }

    @Test("an ignored signal stays ignored, as for a command that a shell starts in the background")
    func ignored() async throws {
        await #expect(processExitsWith: .exitCode(0)) {
            signal(SIGINT, SIG_IGN)
            MadeUpSession.allowSignals()
            try MadeUpSession.end([]) { plan, isInterrupted, _ in
                raise(SIGINT)
                if isInterrupted() { exit(99) }
                return MadeUpSession.success(plan)
            }
        }
    }
}
