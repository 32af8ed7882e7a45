import Foundation

/// Whole commands, process and all: what the script `cold-start` measures.
enum ColdStart {
    private struct Figure: Decodable {
        let what: String
        let limit: String
        let measured: String
        let verdict: String
    }

    static func rows() throws -> [Row] {
        Console.note("cold commands")
        let script = Package.directory.appending(path: "cold-start").path(percentEncoded: false)
        var words = [script, "--json"]
        if let skr = ProcessInfo.processInfo.environment["SKR"] { words.append(skr) }
        do {
            let output = try Package.output(of: words, accepting: [0, 1, 2])
            return try JSONDecoder().decode([Figure].self, from: output).map { figure in
                Row(
                    figure.what, limit: figure.limit, measured: figure.measured,
                    Row.Verdict(rawValue: figure.verdict) ?? .notMeasured)
            }
        } catch {
            // What went before stays worth showing.
            Console.note("cold commands: \(error)")
            return [.notMeasured("cold skr get", limit: "<= 0.75 x keyctl pipe", because: "see above")]
        }
    }
}
