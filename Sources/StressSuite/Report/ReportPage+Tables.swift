extension ReportPage {
    /// The table of the figures that the histograms show.
    var calls: Markup? {
        guard !result.operations.isEmpty else { return nil }
        let titles = ["count", "a second", "threw", "mean", "p50", "p90", "p99", "p99.9", "max"]
        let heads: [Markup] = (["call"] + titles).map { "<th scope='col' role='columnheader'>\($0)</th>" }
        let rows = result.operations.map { figures -> Markup in
            let cells: [Markup] = zip(titles, values(of: figures)).map { title, value in
                "<td role='cell' data-label='\(title)'>\(value)</td>"
            }
            return "<tr role='row'><th scope='row' role='rowheader'>\(figures.kind.rawValue)</th>\(cells)</tr>\n"
        }
        let table: Markup = """
            <table class='figures' role='table'><thead role='rowgroup'><tr role='row'>\(heads)</tr>
            </thead><tbody role='rowgroup'>\(rows)</tbody></table>

            """
        return section("Calls", [card([table, errors])])
    }

    private func values(of figures: OperationFigures) -> [String] {
        let latency = figures.latency
        let mean = latency.mean.isFinite && latency.mean >= 0 ? UInt64(min(latency.mean, 1e18)) : 0
        let times = [mean, latency.p50, latency.p90, latency.p99, latency.p999, latency.most]
        return [
            Figures.count(latency.count), Figures.rate(result.rate(of: latency.count)),
            Figures.count(figures.errorCount),
        ] + times.map(time)
    }

    private var errors: Markup {
        let items = result.operations.flatMap { figures in
            figures.sortedErrors.map { message, count -> Markup in
                "<li><b>\(figures.kind.rawValue), \(Figures.count(count)) times: </b>\(message)</li>\n"
            }
        }
        return items.isEmpty ? "" : "<h3>Errors</h3><ul class='errors'>\(items)</ul>\n"
    }

    var checks: Markup {
        let rows = result.checks.map { check -> Markup in
            let detail: Markup = check.detail.isEmpty ? "" : "<p class='detail'>\(check.detail)</p>"
            return """
                <li class='\(check.verdict.rawValue)'><span class='chip'>\(check.verdict.rawValue)</span>\
                <div><p class='check'>\(check.name)</p>\(detail)</div></li>

                """
        }
        return section("Checks", [card(["<ul class='checks'>\(rows)</ul>"])])
    }

    /// The failed checks with their evidence, which the page shows first; `nil` if no check failed.
    var failures: Markup? {
        guard !result.isClean else { return nil }
        let cards = result.failedChecks.map { check in
            card(["<h3>\(check.name)</h3><p>\(check.detail)</p>\n", evidence(of: check)])
        }
        return section("Failed checks", cards + ["<p class='command'>To repeat the run: \(command)</p>\n"])
    }

    private func evidence(of check: CheckOutcome) -> Markup {
        guard !check.evidence.isEmpty else { return "" }
        return """
            <details open='open'><summary>Evidence, \(Figures.plural(check.evidence.count, "line"))</summary>\
            <pre tabindex='0' role='region' aria-label='Evidence: \(check.name)'>\
            \(check.evidence.joined(separator: "\n"))</pre></details>

            """
    }

    /// The parameters of the run, and the machine.
    var plan: Markup {
        let plan = result.plan
        let sizes =
            plan.smallestValue == plan.largestValue
            ? "\(plan.largestValue)" : "\(plan.smallestValue) to \(plan.largestValue)"
        var rows = [
            ("workload", "\(plan.workload.rawValue): \(plan.workload.summary)"), ("workers", plan.workersText),
            ("items", plan.workload == .classic ? "1" : Figures.count(plan.items)), ("bytes of a value", sizes),
            ("seed", "\(plan.seed)"),
        ]
        if let killEvery = plan.killEvery { rows.append(("a process is killed", "every \(killEvery) ms on average")) }
        if let fault = plan.fault { rows.append(("broken on purpose", fault.rawValue)) }
        if plan.isHostile { rows.append(("a hostile neighbor", "puts odd keys into the keyrings")) }
        let machine = result.machine
        let processors = Figures.plural(machine.processors, "processor")
        let user = machine.userID == 0 ? "root" : "user \(machine.userID)"
        rows += [
            ("machine", "\(machine.system), \(machine.architecture), \(processors), as \(user)"),
            ("started", date), ("ran for", Figures.duration(result.seconds)),
        ]
        return section("The run", [card([list(rows, class: "plan"), "<p class='command'>\(command)</p>"])])
    }
}
