extension ReportPage {
    var throughput: Markup {
        guard !result.throughput.isEmpty else {
            return section("Throughput", [empty("The run ended before there was anything to plot.")])
        }
        let wide = ThroughputChart(result, width: 1_032, height: 300)
        let narrow = ThroughputChart(result, width: 358, height: 260)
        return section(
            "Throughput", note: "Calls a second of all workers together.", [card([wide.markup, narrow.markup])])
    }

    var latency: Markup {
        guard !result.operations.isEmpty else { return section("Latency", [empty("No call returned.")]) }
        let range = LatencyChart.range(of: result.operations)
        let cards = result.operations.map { figures -> Markup in
            let calls = Figures.plural(figures.latency.count, "call")
            return """
                <div class='card'><h3>\(figures.kind.rawValue)<span class='aside'> \(calls)</span></h3>
                \(LatencyChart(kind: figures.kind, latency: figures.latency, range: range).markup)</div>

                """
        }
        return section(
            "Latency",
            note: "How many calls took how long, including those that threw. Both scales are logarithmic. "
                + "p99 is the time within which 99 of 100 calls ended.",
            ["<div class='panels'>\(cards)</div>\n"])
    }

    /// The plots of the scaling; `nil` if it was not measured.
    var scaling: Markup? {
        guard !result.scaling.isEmpty else { return nil }
        let processors = result.machine.processors
        let charts = [
            ScalingChart(title: "threads", points: result.scaling, processors: processors) { $0.threads },
            ScalingChart(title: "processes", points: result.scaling, processors: processors) { $0.processes },
        ]
        return section(
            "Scaling",
            note:
                "Calls a second in short runs, with more and more threads in one process, and with more and more "
                + "processes of one thread. "
                + "Dashed: what \(Figures.plural(processors, "processor")) would reach if the kernel shared nothing. "
                + "A flat curve is normal, because all workers use one keyring, which the kernel changes for one "
                + "caller at a time. More workers than processors can't add anything.",
            ["<div class='panels two'>\(charts.compactMap { $0?.card })</div>\n"])
    }

    private func empty(_ text: String) -> Markup { card(["<p class='empty'>\(text)</p>"]) }

    /// The user's keys and bytes in the kernel.
    var quota: Markup {
        let quota = result.quota
        let keys = meter("Keys", quota.keysBefore, quota.mostKeys, quota.keysAfter, limit: quota.keyLimit)
        let bytes = meter("Bytes", quota.bytesBefore, quota.mostBytes, quota.bytesAfter, limit: quota.byteLimit)
        return section(
            "Quota", note: "How much of the user's key quota was in use, by all programs of the user.",
            ["<div class='panels two'>\([keys, bytes])</div>\n"])
    }

    private func meter(_ title: String, _ before: Int, _ most: Int, _ after: Int, limit: Int) -> Markup {
        var drawing = Drawing(width: 360, height: 12)
        drawing.rectangle("track", x: 0, y: 2, width: 360, height: 8)
        let used = min(1, max(0, limit > 0 ? Double(most) / Double(limit) : 0))
        drawing.rectangle("bar", x: 0, y: 2, width: max(most > 0 ? 2 : 0, used * 360), height: 8)
        let share = Figures.percent(Double(most), of: Double(limit))
        let rows = [("before", before), ("most", most), ("after", after), ("limit", limit)]
            .map { name, value in (name, Figures.count(value)) }
        return """
            <div class='card'><h3>\(title)</h3><div class='meter'>
            \(drawing.markup(title: "Use of \(title.lowercased())", description: "At most \(share)% of the limit."))
            \(list(rows, class: "values"))</div></div>

            """
    }
}
