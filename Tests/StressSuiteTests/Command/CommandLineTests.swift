import Foundation
import StressSuite
import Testing

@testable import skr_stress

@Suite("The options of a run")
struct OptionTests {
    private static let refused: [(words: String, message: String)] = [
        ("--workload reading", "--workload: no such workload: 'reading'"),
        ("--fault all", "--fault: no such fault: 'all'"),
        ("--threads 0", "--threads must be from 1 to 1024, not 0"),
        ("--processes 1000", "--processes must be from 1 to 256, not 1000"),
        ("--items 0", "--items must be from 1 to 100000, not 0"),
        ("--kill-every 0", "--kill-every must be from 1 to 3600000, not 0"),
        ("--duration 0", "--duration must be from 1s to 7d"),
        ("--duration soon", "--duration: 'soon' is not a duration"),
        ("--duration 5s --operations 7", "--duration and --operations can't be used together"),
        ("--operations 0", "--operations must be from 1 to 1000000000, not 0"),
        ("--workload classic --duration 5s", "--duration can't be used with the workload classic"),
        ("--workload classic --scaling", "--scaling can't be used with the workload classic"),
        ("--value-size 47", "--value-size must be from 48 to 32767, not 47"),
        ("--value-size 200-", "--value-size: '200-' is not a whole number"),
        ("--seed x", "--seed: 'x' is not a whole number"),
        ("more", "unexpected word 'more'"),
    ]

    @Test("a bad option is an error before anything runs")
    func usage() async {
        let end = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
            // Swift Testing itself writes to the standard output of this process.
            var output: [CInt] = [0, 0]
            guard pipe(&output) == 0, fcntl(output[0], F_SETFL, O_NONBLOCK) == 0, dup2(output[1], STDOUT_FILENO) >= 0
            else { exit(2) }
            for (words, _) in Self.refused {
                let words = "--report /nonexistent/x \(words)".split(separator: " ").map(String.init)
                guard StressProgram.main(words) == 64 else { exit(1) }
            }
            var byte: UInt8 = 0
            exit(read(output[0], &byte, 1) < 0 && errno == EAGAIN ? 0 : 3)
        }
        let text = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
        let errors = text.components(separatedBy: "skr-stress: error: ").dropFirst()
        #expect(errors.count == Self.refused.count, "\(text)")
        for (error, (words, message)) in zip(errors, Self.refused) {
            #expect(error.hasPrefix(message), "\(words): \(error)")
            let hint =
                message.hasSuffix("is not a duration")
                ? "write it as 90, 90s, 15m, 8h, 2d or 1h30m\n" : message.contains("no such") ? "use " : ""
            #expect(error.contains("\nskr-stress: hint: \(hint)"), "\(words): \(error)")
        }
    }
}

@Suite("The command that repeats a run")
struct CommandLineTests {
    @Test("the command of a plan is parsed into the same plan, for every workload", arguments: Workload.allCases)
    func roundTrip(workload: Workload) throws {
        var plans = [StressPlan(workload: workload, seed: 1)]
        if workload != .classic {
            // Faults don't depend on the workload here, so only one of them is combined with all faults.
            let faults = workload == .mixed ? InjectedFault.allCases : [.tearValue]
            for fault in faults {
                plans.append(
                    StressPlan(
                        workload: workload, threads: 3, processes: 5, length: .operations(1_234), items: 11,
                        largestValue: 2_000, seed: .max, killEvery: 70, fault: fault,
                        isHostile: fault == .tearValue))
            }
            plans.append(
                StressPlan(
                    workload: workload, length: .seconds(90), largestValue: 300, seed: 0))
        }
        for plan in plans {
            let words = plan.commandLine.split(separator: " ").map(String.init)
            #expect(words.starts(with: ["skr-stress"]))
            let options = try #require(try StressProgram.parse(Array(words.dropFirst(1))))
            #expect(StressPlan(options) == plan)
        }
    }

    @Test("without a seed, each run chooses its own")
    func seeds() throws {
        let options = try #require(try StressProgram.parse([]))
        #expect(Set((0..<20).map { _ in StressPlan(options).seed }).count > 15)
    }
}
