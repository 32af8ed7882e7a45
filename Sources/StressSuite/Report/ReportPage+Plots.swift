extension ReportPage {
    var throughput: Markup {
        guard !result.throughput.isEmpty else {
            return section("Throughput", [empty("The run was over before there was anything to plot.")])
        }
        let wide = ThroughputChart(result, width: 1_032, height: 300)
        let narrow = ThroughputChart(result, width: 358, height: 260)
        return section(
            "Throughput", note: "Calls a second of all workers together.", [card([wide.markup, narrow.markup])])
    }

    var latency: Markup {
        let measured = result.operations.filter { $0.latency.count > 0 }
        guard !measured.isEmpty else { return section("Latency", [empty("No call returned.")]) }
        let range = LatencyChart.range(of: measured)
        let cards = measured.map { figures in
            card([
                .make(
                    "h3", [:],
                    [
                        .text(figures.kind.rawValue),
                        .make("span", ["class": "aside"], " \(Self.calls(figures.latency.count))"),
                    ]),
                LatencyChart(kind: figures.kind, latency: figures.latency, range: range).markup,
            ])
        }
        return section(
            "Latency", note: "How many calls took how long, calls that threw included. Both scales are logarithmic.",
            [.make("div", ["class": "panels"], cards)])
    }

    /// `nil` where it was not measured.
    var scaling: Markup? {
        guard !result.scaling.isEmpty else { return nil }
        let processors = result.machine.processors
        let charts = [
            ScalingChart(title: "threads", points: result.scaling, processors: processors) { $0.threads },
            ScalingChart(title: "processes", points: result.scaling, processors: processors) { $0.processes },
        ].filter { !$0.points.isEmpty }
        let cards = charts.map { chart in card([.make("h3", chart.title.capitalized), chart.markup]) }
        let count = processors == 1 ? "1 processor" : "\(processors) processors"
        return section(
            "Scaling",
            note:
                "Calls a second with more and more threads in one process, and processes of one thread, in short runs. "
                + "Dashed: what \(count) would give if the kernel shared nothing.",
            [.make("div", ["class": "panels two"], cards)])
    }

    private static func calls(_ count: Int) -> String { "\(Figures.count(count)) call\(count == 1 ? "" : "s")" }

    func card(_ content: [Markup]) -> Markup { .make("div", ["class": "card"], content) }

    private func empty(_ text: String) -> Markup { card([.make("p", ["class": "empty"], text)]) }
}
