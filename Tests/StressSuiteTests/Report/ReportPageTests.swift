import Foundation
import FoundationXML
import Testing

@testable import StressSuite

@Suite("The report's page")
struct ReportPageTests {
    enum Sample: String, CaseIterable {
        case clean, manyPoints, failed, empty, single, broken

        var result: StressResult {
            switch self {
            case .clean: SampleResult.clean()
            case .manyPoints: SampleResult.clean(points: 600, seconds: 600)
            case .failed: SampleResult.failed()
            case .empty: SampleResult.empty()
            case .single: SampleResult.single()
            case .broken: SampleResult.broken()
            }
        }
    }

    /// The elements and the text that a parser finds on the page.
    private final class Reader: NSObject, XMLParserDelegate {
        var elements: [(name: String, attributes: [String: String])] = []
        var text = ""

        func parser(
            _ parser: XMLParser,
            didStartElement name: String,
            namespaceURI: String?,
            qualifiedName: String?,
            attributes: [String: String]
        ) {
            elements.append((name, attributes))
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) {
            text += string
        }
    }

    private func read(_ result: StressResult, name: String = "") throws -> Reader {
        let page = ReportPage(result).text
        // If this variable names a folder, the pages are written there, to be viewed in a browser.
        if let directory = ProcessInfo.processInfo.environment["SKR_REPORT_SAMPLES"], !name.isEmpty {
            try Data(page.utf8).write(to: URL(fileURLWithPath: directory).appendingPathComponent("\(name).html"))
        }
        let parser = XMLParser(data: Data(page.utf8))
        let reader = Reader()
        parser.delegate = reader
        #expect(parser.parse(), "\(String(describing: parser.parserError)) in line \(parser.lineNumber)")
        return reader
    }

    @Test("the page is well-formed for every result, and its numbers are finite", arguments: Sample.allCases)
    func wellFormed(sample: Sample) throws {
        let reader = try read(sample.result, name: sample.rawValue)
        #expect(reader.elements.first?.name == "html")
        let numbers: Set = ["x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "width", "height"]
        for element in reader.elements {
            for (key, value) in element.attributes {
                if numbers.contains(key) {
                    let number = try #require(Double(value), "\(element.name) \(key)=\(value)")
                    #expect(number.isFinite && number > -100 && number < 2_000, "\(element.name) \(key)=\(value)")
                }
                if key == "d" { #expect(value.allSatisfy { "MLZ0123456789. ".contains($0) }, "\(value)") }
            }
        }
        #expect(!reader.text.contains("nan") && !reader.text.contains("inf "))
    }

    @Test("the page loads nothing and runs nothing, and its policy forbids both", arguments: Sample.allCases)
    func selfContained(sample: Sample) throws {
        let reader = try read(sample.result)
        for element in reader.elements {
            #expect(!["script", "link", "img", "iframe", "object"].contains(element.name))
            let links = element.attributes.filter { ["src", "href", "style", "xlink:href"].contains($0.key) }
            #expect(links.isEmpty && !element.attributes.keys.contains { $0.hasPrefix("on") })
        }
        #expect(!reader.text.contains("url("))
        let policy = reader.elements.first { $0.attributes["http-equiv"] == "Content-Security-Policy" }
        #expect(policy?.attributes["content"] == "default-src 'none'; style-src 'unsafe-inline'")
    }

    @Test("failed checks come first, with all their evidence unchanged")
    func evidence() throws {
        let result = SampleResult.failed()
        let reader = try read(result)
        #expect(reader.text.contains("2 of 6 checks failed, 1 skipped"))
        #expect(reader.elements.count { $0.name == "pre" } == 2)
        for check in result.failedChecks {
            for line in check.evidence {
                let shown = line.replacingOccurrences(of: "\u{1}", with: "\u{FFFD}")
                    .replacingOccurrences(of: "\u{7F}", with: "\u{FFFD}")
                #expect(reader.text.contains(shown))
            }
        }
        #expect(reader.text.contains(result.plan.commandLine))
        let headings = try #require(reader.text.range(of: "Failed checks"))
        let plots = try #require(reader.text.range(of: "Throughput"))
        #expect(headings.lowerBound < plots.lowerBound)
        // Long names of errors are shown completely, and no part of them is interpreted as markup.
        for message in result.operations[1].errors.keys { #expect(reader.text.contains(message)) }
        #expect(!reader.elements.contains { $0.name == "script" || $0.attributes.isEmpty && $0.name == "b:" })
    }

    @Test("the page has described pictures of each kind of call, the throughput and the scaling")
    func pictures() throws {
        let result = SampleResult.clean()
        let reader = try read(result)
        let pictures = reader.elements.filter { $0.name == "svg" }
        #expect(pictures.count == 2 + result.operations.count + 2 + 2)
        #expect(
            pictures.allSatisfy { $0.attributes["role"] == "img" && ($0.attributes["aria-label"] ?? "").count > 20 })
        #expect(reader.elements.count { $0.name == "desc" } == pictures.count)
        let get = try #require(pictures.first { $0.attributes["aria-label"]?.hasPrefix("Latency of get.") == true })
        let latency = result.operations[0].latency
        #expect(
            get.attributes["aria-label"]?.contains("60,000 calls: p50 \(Figures.time(latency.p50, micro: "µs"))")
                == true)
        #expect(reader.text.contains("\(result.kills) processes were killed in mid-operation."))
        #expect(reader.text.contains("2026-11-21 12:00:00 UTC"))
    }

    @Test("every bar of a histogram is drawn, and the highest bar is the one with the most calls")
    func bars() throws {
        let result = SampleResult.clean()
        let reader = try read(result)
        let start = try #require(
            reader.elements.firstIndex { $0.attributes["aria-label"]?.hasPrefix("Latency of get.") == true })
        let rest = reader.elements[(start + 1)...].prefix { $0.name != "svg" }
        let bars = rest.filter { $0.attributes["class"] == "bar" }
        let wanted = result.operations[0].latency.bars.filter { $0.count > 0 }
        #expect(bars.count == wanted.count)
        let heights = bars.compactMap { $0.attributes["height"].flatMap(Double.init) }
        #expect(
            heights.firstIndex(of: heights.max() ?? 0) == wanted.firstIndex { $0.count == wanted.map(\.count).max() })
        #expect(rest.count { $0.attributes["class"] == "mark" } == 4)
        // A label covers the lines that are drawn before it.
        let lastLine = try #require(rest.lastIndex { $0.attributes["class"] == "mark" })
        let firstLabel = try #require(rest.firstIndex { $0.attributes["class"] == "value" })
        #expect(lastLine < firstLabel)
    }

    @Test("the flat curve of the scaling is explained next to it")
    func flatCurve() throws {
        let text = try read(SampleResult.clean()).text
        let heading = try #require(text.range(of: "Scaling"))
        #expect(text[heading.upperBound...].prefix(600).contains("A flat curve is normal, because all workers use one"))
        #expect(text.contains("if nothing were shared"))
    }

    @Test("the plot of a long run is condensed, but no kill is left out")
    func condensed() throws {
        let result = SampleResult.clean(points: 20_000, seconds: 20_000)
        let kills = result.throughput.reduce(0) { $0 + $1.kills }
        let page = ReportPage(result).text
        #expect(page.utf8.count < 400_000)
        #expect(page.contains("processes killed, \(Figures.count(kills)) in all"))
    }

    @Test("an incomplete last slice of time is not plotted, but its kills are")
    func partialSlice() throws {
        var result = SampleResult.clean(points: 20, seconds: 2)
        result.seconds = 2.0004
        result.kills += 3
        result.throughput.append(ThroughputPoint(second: 2, rate: 99_000_000, errorRate: 0, kills: 3))
        let text = try read(result).text
        #expect(!text.contains("99,000,000 calls a second"))
        #expect(text.contains("processes killed, \(Figures.count(result.kills)) in all"))
        // A complete slice is plotted like any other.
        result.seconds = 2.1
        #expect(try read(result).text.contains("99,000,000 calls a second"))
    }

    @Test("calls that a kill interrupted are reported next to those that returned")
    func cutOff() throws {
        var result = SampleResult.clean()
        result.callsCutOff = 4
        #expect(
            try read(result).text.contains(
                "88,300 calls, and 4 more that a kill interrupted, in 1 min 0 s by 4 processes"))
    }
}
