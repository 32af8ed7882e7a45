import StressSuite
import Testing

@testable import skr_stress

@Suite("The command that repeats a run")
struct CommandLineTests {
    @Test("the command of a plan is parsed into the same plan, for every workload", arguments: Workload.allCases)
    func roundTrip(workload: Workload) throws {
        var plans = [StressPlan(workload: workload, seed: 1)]
        if workload != .classic {
            for fault in InjectedFault.allCases {
                plans.append(
                    StressPlan(
                        workload: workload, threads: 3, processes: 5, length: .operations(1_234), items: 11,
                        largestValue: 2_000, seed: .max, killEvery: 70, fault: fault,
                        isHostile: fault == .dropWrite))
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
