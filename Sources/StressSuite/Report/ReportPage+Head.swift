extension ReportPage {
    /// The verdict, and what was done in a sentence.
    var header: Markup {
        let state = result.isClean ? "good" : "bad"
        let sign = result.isClean ? "✓" : "✗"
        return .make(
            "header", [:],
            [
                .make("p", ["class": "eyebrow"], "skr-stress · \(result.plan.workload.rawValue) · \(date)"),
                .make(
                    "h1", ["class": state],
                    [.make("span", ["class": "sign", "aria-hidden": "true"], sign), .text(" \(result.verdict)")]),
                .make("p", ["class": "lead"], summary),
            ] + warnings.map { .make("p", ["class": "warning"], $0) })
    }

    private var summary: String {
        let calls = result.totalOperations
        var text =
            "\(Figures.count(calls)) call\(calls == 1 ? "" : "s") in \(Figures.duration(result.seconds)) by \(result.plan.workersText): "
            + "\(result.plan.workload.summary)."
        if result.kills == 1 { text += " One process was killed in mid-operation." }
        if result.kills > 1 { text += " \(Figures.count(result.kills)) processes were killed in mid-operation." }
        return text
    }

    private var warnings: [String] {
        var warnings: [String] = []
        if let fault = result.plan.fault {
            warnings.append("The store was broken on purpose (\(fault.rawValue)), to see that the checks notice.")
        }
        if result.isInterrupted {
            warnings.append("The run was ended early; what was done by then was checked all the same.")
        }
        return warnings
    }

    /// The figures that one looks for first.
    var tiles: Markup {
        var tiles = [tile("calls a second", Figures.rate(result.meanRate))]
        if let most = result.operations.max(by: { $0.latency.count < $1.latency.count }), most.latency.count > 0 {
            tiles.append(tile("half of all \(most.kind.rawValue) calls within", time(most.latency.p50)))
            tiles.append(tile("99 of 100 within", time(most.latency.p99)))
        }
        tiles.append(tile("calls that threw", Figures.count(result.totalErrors)))
        if result.plan.killEvery != nil || result.kills > 0 {
            tiles.append(tile("processes killed", Figures.count(result.kills)))
        }
        tiles.append(tile("most of the quota in use", "\(quotaShare)%"))
        return .make("dl", ["class": "tiles"], tiles)
    }

    private func tile(_ label: String, _ value: String) -> Markup {
        .make("div", [:], [.make("dt", label), .make("dd", value)])
    }

    private var quotaShare: Int {
        let quota = result.quota
        return max(
            Figures.percent(Double(quota.mostKeys), of: Double(quota.keyLimit)),
            Figures.percent(Double(quota.mostBytes), of: Double(quota.byteLimit)))
    }

    func time(_ nanoseconds: UInt64) -> String { Figures.time(nanoseconds, micro: "µs") }
}
