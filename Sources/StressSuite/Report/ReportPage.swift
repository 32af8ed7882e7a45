import Keyutils

/// The result as a page in one file, without scripts, which loads nothing from elsewhere.
package struct ReportPage {
    let result: StressResult

    package init(_ result: StressResult) {
        self.result = result
    }

    /// The page, as HTML that is also well-formed XML.
    package var text: String {
        // The content security policy enforces that the page runs no script and loads nothing, whatever it contains.
        let page: Markup = """
            <!DOCTYPE html>
            <html xmlns='http://www.w3.org/1999/xhtml' lang='en'><head><meta charset='utf-8'/>
            <meta name='viewport' content='width=device-width, initial-scale=1'/>
            <meta name='color-scheme' content='light dark'/>
            <meta http-equiv='Content-Security-Policy' content="default-src 'none'; style-src 'unsafe-inline'"/>
            <title>skr-stress: \(result.plan.workload.rawValue), \(result.verdict.lowercased())</title>
            <style>
            \(Markup(stringLiteral: ReportStyle.sheet))
            </style></head>
            <body><main>
            \([header, tiles, failures, throughput, latency, calls, scaling, checks, quota, plan])
            </main></body></html>

            """
        return page.source
    }

    /// The verdict, and a sentence about what the run did.
    private var header: Markup {
        """
        <header><p class='eyebrow'>skr-stress · \(result.plan.workload.rawValue) · \(date)</p>
        <h1 class='\(result.isClean ? "good" : "bad")'>\
        <span class='sign' aria-hidden='true'>\(result.isClean ? "✓" : "✗")</span> \(result.verdict)</h1>
        <p class='lead'>\(summary)</p>
        \(warnings.map { "<p class='warning'>\($0)</p>\n" })</header>

        """
    }

    private var summary: String {
        var text = "\(result.callsText) by \(result.plan.workersText): \(result.plan.workload.summary)."
        if result.kills == 1 { text += " One process was killed in mid-operation." }
        if result.kills > 1 { text += " \(Figures.count(result.kills)) processes were killed in mid-operation." }
        return text
    }

    private var warnings: [String] {
        var warnings: [String] = []
        if let fault = result.plan.fault {
            warnings.append("The store was broken on purpose (\(fault.rawValue)), to see whether the checks notice.")
        }
        if result.isInterrupted {
            warnings.append("The run was ended early. Everything until then was checked.")
        }
        return warnings
    }

    /// The most important figures.
    private var tiles: Markup {
        var tiles = [("calls a second", Figures.rate(result.meanRate))]
        if let most = result.operations.max(by: { $0.latency.count < $1.latency.count }) {
            tiles.append(("half of all \(most.kind.rawValue) calls within", time(most.latency.p50)))
            tiles.append(("99 of 100 within", time(most.latency.p99)))
        }
        tiles.append(("calls that threw", Figures.count(result.totalErrors)))
        if result.plan.killEvery != nil || result.kills > 0 {
            tiles.append(("processes killed", Figures.count(result.kills)))
        }
        tiles.append(("highest use of the quota", "\(result.quota.percent)%"))
        return list(tiles, class: "tiles")
    }

    // MARK: - Parts of sections

    func section(_ title: String, note: String? = nil, _ content: [Markup]) -> Markup {
        "<section><h2>\(title)</h2>\n\(note.map { "<p class='note'>\($0)</p>\n" })\(content)</section>\n"
    }

    func card(_ content: [Markup]) -> Markup { "<div class='card'>\(content)</div>\n" }

    func list(_ rows: [(name: String, value: String)], class name: String) -> Markup {
        "<dl class='\(name)'>\(rows.map { "<div><dt>\($0.name)</dt><dd>\($0.value)</dd></div>\n" })</dl>\n"
    }

    func time(_ nanoseconds: UInt64) -> String { Figures.time(nanoseconds, micro: "µs") }

    var date: String { Figures.date(secondsSince1970: result.startedAt) }

    /// The command that repeats this run; no line breaks within an option.
    var command: Markup {
        let words = result.plan.commandLine.replacing(" --", with: "\n--").split(separator: "\n")
        return "<code>\(words.map { "<span class='word'>\(String($0))</span> " })</code>"
    }
}
