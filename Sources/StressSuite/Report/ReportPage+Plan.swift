extension ReportPage {
    /// The user's keys and bytes in the kernel.
    var quota: Markup {
        let quota = result.quota
        return section(
            "Quota", note: "The user's share of the kernel's memory for keys, of everything that the user runs.",
            [
                .make(
                    "div", ["class": "panels two"],
                    [
                        card([
                            .make("h3", "Keys"),
                            meter("keys", quota.keysBefore, quota.mostKeys, quota.keysAfter, limit: quota.keyLimit),
                        ]),
                        card([
                            .make("h3", "Bytes"),
                            meter(
                                "bytes", quota.bytesBefore, quota.mostBytes, quota.bytesAfter, limit: quota.byteLimit),
                        ]),
                    ])
            ])
    }

    private func meter(_ what: String, _ before: Int, _ most: Int, _ after: Int, limit: Int) -> Markup {
        let values = [("before", before), ("most", most), ("after", after), ("limit", limit)]
        let share = Figures.percent(Double(most), of: Double(limit))
        var drawing = Drawing(width: 360, height: 12)
        drawing.rectangle("track", x: 0, y: 2, width: 360, height: 8)
        let used = min(1, max(0, limit > 0 ? Double(most) / Double(limit) : 0))
        drawing.rectangle("bar", x: 0, y: 2, width: max(most > 0 ? 2 : 0, used * 360), height: 8)
        let list = values.map { name, value in
            Markup.make("div", [:], [.make("dt", name), .make("dd", Figures.count(value))])
        }
        return .make(
            "div", ["class": "meter"],
            [
                drawing.markup(title: "Use of \(what)", description: "At most \(share)% of the limit."),
                .make("dl", ["class": "values"], list),
            ])
    }

    /// What was asked for, and where.
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
        let processors = "\(machine.processors) processor\(machine.processors == 1 ? "" : "s")"
        let user = machine.userID == 0 ? "root" : "user \(machine.userID)"
        rows += [
            ("machine", "\(machine.system), \(machine.architecture), \(processors), as \(user)"),
            ("started", date), ("ran for", Figures.duration(result.seconds)),
        ]
        let list = rows.map { name, value in Markup.make("div", [:], [.make("dt", name), .make("dd", value)]) }
        return section(
            "The run",
            [card([.make("dl", ["class": "plan"], list), .make("p", ["class": "command"], [command])])])
    }

    /// The command that makes this run again; no line ends within an option.
    var command: Markup {
        let parts = result.plan.commandLine.replacing(" --", with: "\n--").split(separator: "\n")
        let words = parts.map { [Markup.make("span", ["class": "word"], String($0))] }
        return .make("code", [:], Array(words.joined(separator: [.text(" ")])))
    }
}
