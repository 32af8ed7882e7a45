import Foundation
import StressSuite
import Testing

@testable import skr_stress

@Suite("The result as text")
struct ResultTextTests {
    private func text(_ result: StressResult, width: Int? = nil) -> String {
        ResultText(result: result, style: .plain, width: width).text
    }

    @Test("the text contains a table of calls, the checks, and the seed to repeat the run")
    func clean() {
        var result = SampleResult.single()
        result.isInterrupted = false
        #expect(
            text(result) == """
                CALL  COUNT  PER SECOND  ERRORS     P50     P90     P99   P99.9     MAX
                get       1         1.0       0  1.2 us  1.2 us  1.2 us  1.2 us  1.2 us

                passed   no value is torn  1,042,118 values were read

                1 call in 1.0 s, seed 1

                """)
    }

    @Test("on a narrow terminal, the table leaves out the least important columns", arguments: [30, 40, 60, 80, 100])
    func widths(width: Int) {
        let table = text(SampleResult.clean(), width: width).split(separator: "\n").prefix { !$0.hasPrefix("passed") }
        #expect(table.count == 6)
        for line in table { #expect(line.count <= width) }
        #expect(table.first?.contains("CALL") == true && table.first?.contains("COUNT") == true)
        #expect((table.first?.contains("P99.9") == true) == (width >= 80))
    }

    @Test("the text shows failed checks with the beginning of their evidence, and thrown errors")
    func failed() {
        let result = SampleResult.failed()
        let lines = text(result).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.contains("FAILED   no reader goes back in time          reader 3 saw 5.19 and then 5.17"))
        #expect(lines.contains("FAILED: each item's history is linearizable"))
        #expect(lines.contains("  and 160 more lines, which --json and --report contain"))
        #expect(lines.contains { $0.hasPrefix("set: 12,345 times password:a-service") })
        #expect(
            lines.contains("88,300 calls in 1 min 0 s, \(result.kills) processes killed, ended early, seed 81276354"))
    }

    @Test("calls that a kill interrupted are reported next to those that returned, which the table counts")
    func cutOff() {
        var result = SampleResult.clean()
        result.callsCutOff = 4
        #expect(text(result).contains("\n88,300 calls, and 4 more that a kill interrupted, in 1 min 0 s, "))
    }

    @Test("a run without any calls has a result, too")
    func empty() {
        #expect(text(SampleResult.empty()) == "0 calls in 0.0 s, ended early, seed 1\n")
        #expect(text(SampleResult.broken()).contains("1 call in -"))
    }

    @Test("the JSON contains everything, including the command and whether the run was clean")
    func json() throws {
        let result = SampleResult.failed()
        let text = try StressDocument(result: result).text()
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(
            Set(object.keys) == [
                "isClean", "command", "plan", "machine", "startedAt", "seconds", "isInterrupted", "operations",
                "throughput", "checks", "kills", "callsCutOff", "quota", "scaling",
            ])
        #expect(object["isClean"] as? Bool == false)
        #expect(object["command"] as? String == result.plan.commandLine)
        let again = try JSONDecoder().decode(StressResult.self, from: Data(text.utf8))
        #expect(again.checks == result.checks && again.plan == result.plan && again.scaling.count == 7)
    }

    @Test("a value that JSON can't hold is an error, not a crash")
    func brokenJSON() {
        #expect(throws: (any Error).self) { try StressDocument(result: SampleResult.broken()).text() }
    }
}
