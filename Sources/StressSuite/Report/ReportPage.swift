/// The result as a page of one file: no script, and nothing that is loaded from elsewhere.
package struct ReportPage {
    let result: StressResult

    package init(_ result: StressResult) {
        self.result = result
    }

    /// HTML that is well-formed XML too.
    package var text: String {
        let sections = [header, tiles, failures, throughput, latency, calls, scaling, checks, quota, plan]
        let page = Markup.make(
            "html", ["xmlns": "http://www.w3.org/1999/xhtml", "lang": "en"],
            [head, .make("body", [:], [.make("main", [:], sections.compactMap { $0 })])])
        return "<!DOCTYPE html>\n" + page.rendered + "\n"
    }

    private var head: Markup {
        .make(
            "head", [:],
            [
                .make("meta", ["charset": "utf-8"], []),
                .make("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"], []),
                .make("meta", ["name": "color-scheme", "content": "light dark"], []),
                // So that the page keeps what it promises, whatever is in it.
                .make(
                    "meta",
                    [
                        "http-equiv": "Content-Security-Policy",
                        "content": "default-src 'none'; style-src 'unsafe-inline'",
                    ], []),
                .make("title", "skr-stress: \(result.plan.workload.rawValue), \(result.verdict.lowercased())"),
                .style(ReportStyle.sheet),
            ])
    }

    /// A part of the page under a heading.
    func section(_ title: String, note: String? = nil, _ content: [Markup]) -> Markup {
        let notes = note.map { [Markup.make("p", ["class": "note"], $0)] } ?? []
        return .make("section", [:], [.make("h2", title)] + notes + content)
    }

    var date: String { CalendarDate.text(secondsSince1970: result.startedAt) }
}
