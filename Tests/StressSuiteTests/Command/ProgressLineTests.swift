import Testing

@testable import StressSuite
@testable import skr_stress

@Suite("The progress line of a run")
struct ProgressLineTests {
    static func progress(
        _ phase: StressProgress.Phase = .running,
        fraction: Double = 0.42,
        kills: Int = 3
    ) -> StressProgress {
        StressProgress(
            phase: phase, seconds: 4.2, fraction: fraction, operations: 1_234_567, rate: 118_034, p50: 6_140,
            p99: 92_300, errors: 12, kills: kills, quotaPercent: 45)
    }

    @Test("with enough room, the line shows everything")
    func full() {
        let line = ProgressLine(progress: Self.progress(), style: .plain, bar: .ascii).text(width: 120)
        #expect(
            line
                == "[###########.................]   42%  4.2 s  118k/s  p50 6.1 us  p99 92 us  errors 12  kills 3  quota 45%"
        )
    }

    @Test("the line is never wider than the terminal", arguments: 1...130)
    func widths(width: Int) {
        for phase in [StressProgress.Phase.running, .checking, .scaling(7, of: 7)] {
            for bar in [ProgressBar.ascii, .blocks] {
                let line = ProgressLine(progress: Self.progress(phase), style: .plain, bar: bar).text(width: width)
                #expect(line.count <= width)
            }
        }
    }

    @Test("on 40 columns, the line shows the most important parts")
    func narrow() {
        let line = ProgressLine(progress: Self.progress(), style: .plain, bar: .blocks).text(width: 39)
        #expect(line == "━━━━━┄┄┄┄┄┄┄┄┄   42%  118k/s  errors 12")
    }

    @Test("colours do not count towards the line's width")
    func colours() {
        let line = ProgressLine(progress: Self.progress(), style: .coloured, bar: .blocks).text(width: 39)
        #expect(line == "\u{1B}[32m━━━━━\u{1B}[0m┄┄┄┄┄┄┄┄┄   42%  118k/s  errors 12")
    }

    @Test("the line shows the current phase while no calls are made")
    func phases() {
        let text = { (phase: StressProgress.Phase) in
            ProgressLine(progress: Self.progress(phase, kills: 0), style: .plain, bar: .ascii).plainText
        }
        #expect(text(.running) == " 42%  4.2 s  118k/s  p50 6.1 us  p99 92 us  errors 12  quota 45%")
        #expect(text(.checking) == " 42%  checking  1,234,567 calls")
        #expect(text(.scaling(2, of: 7)).hasPrefix(" 42%  scaling 2 of 7  4.2 s  118k/s"))
    }

    @Test("the line accepts NaN and fractions that are out of range", arguments: [Double.nan, .infinity, -1, 2])
    func nonsense(fraction: Double) {
        let line = ProgressLine(progress: Self.progress(fraction: fraction), style: .plain, bar: .ascii).text(width: 79)
        #expect(line.count <= 79 && line.hasPrefix("["))
    }
}
