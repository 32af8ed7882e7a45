extension ReportPage {
    /// The figures behind the histograms.
    var calls: Markup? {
        guard !result.operations.isEmpty else { return nil }
        let titles = ["count", "a second", "threw", "mean", "p50", "p90", "p99", "p99.9", "most"]
        let heads = (["call"] + titles).map { Markup.make("th", ["scope": "col", "role": "columnheader"], $0) }
        let rows = result.operations.map { figures in
            let cells = zip(titles, values(of: figures)).map { title, value in
                Markup.make("td", ["role": "cell", "data-label": title], value)
            }
            let head = Markup.make("th", ["scope": "row", "role": "rowheader"], figures.kind.rawValue)
            return Markup.make("tr", ["role": "row"], [head] + cells)
        }
        let table = Markup.make(
            "table", ["class": "figures", "role": "table"],
            [
                .make("thead", ["role": "rowgroup"], [.make("tr", ["role": "row"], heads)]),
                .make("tbody", ["role": "rowgroup"], rows),
            ])
        return section("Calls", [card([table] + errors)])
    }

    private func values(of figures: OperationFigures) -> [String] {
        let latency = figures.latency
        let mean = latency.mean.isFinite && latency.mean >= 0 ? UInt64(min(latency.mean, 1e18)) : 0
        let times = [mean, latency.p50, latency.p90, latency.p99, latency.p999, latency.most]
        return [
            Figures.count(latency.count), Figures.rate(result.rate(of: latency.count)),
            Figures.count(figures.errorCount),
        ] + times.map { latency.count == 0 ? "-" : time($0) }
    }

    private var errors: [Markup] {
        let items = result.operations.flatMap { figures in
            figures.errors.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { message, count in
                Markup.make(
                    "li", [:],
                    [
                        .make("b", "\(figures.kind.rawValue), \(Figures.count(count)) times: "), .text(message),
                    ])
            }
        }
        return items.isEmpty ? [] : [.make("h3", "What they threw"), .make("ul", ["class": "errors"], items)]
    }

    var checks: Markup {
        let rows = result.checks.map { check in
            Markup.make(
                "li", ["class": check.verdict.rawValue],
                [
                    .make("span", ["class": "chip"], check.verdict.rawValue),
                    .make(
                        "div", [:],
                        [.make("p", ["class": "check"], check.name)]
                            + (check.detail.isEmpty ? [] : [.make("p", ["class": "detail"], check.detail)])),
                ])
        }
        return section("Checks", [card([.make("ul", ["class": "checks"], rows)])])
    }

    /// What failed, with its evidence; first of all where there is any.
    var failures: Markup? {
        guard !result.isClean else { return nil }
        let cards = result.failedChecks.map { check in
            card([.make("h3", check.name), .make("p", check.detail)] + evidence(of: check))
        }
        return section("What failed", cards + [commandLine])
    }

    private func evidence(of check: CheckOutcome) -> [Markup] {
        guard !check.evidence.isEmpty else { return [] }
        let count = "\(Figures.count(check.evidence.count)) line\(check.evidence.count == 1 ? "" : "s")"
        let lines = Markup.make(
            "pre", ["tabindex": "0", "role": "region", "aria-label": "Evidence: \(check.name)"],
            check.evidence.joined(separator: "\n"))
        return [.make("details", ["open": "open"], [.make("summary", "Evidence, \(count)"), lines])]
    }

    private var commandLine: Markup {
        .make("p", ["class": "command"], [.text("Repeat it: "), command])
    }
}
