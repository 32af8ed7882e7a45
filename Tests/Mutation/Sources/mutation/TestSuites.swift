import Foundation

/// A suite of the test bundle, or a test that is in no suite.
struct TestSuite: Codable, Hashable, Sendable {
    /// As `--filter` knows it: `SessionKeyringTests.ScopeTests`.
    let name: String

    var module: Substring { name.prefix { $0 != "." } }

    /// For `--filter`.
    var pattern: String {
        "^" + NSRegularExpression.escapedPattern(for: name) + "(/|$)"
    }
}

/// The suites of the test bundle.
struct TestSuites {
    /// In a second or some, in all their tests.
    let quick: [TestSuite]
    /// Suites that use keyrings or a quota that all processes of a user share, so that no two runs of them may overlap.
    let exclusive: Set<TestSuite>
    /// Names of all tests that take minutes, of whichever suite, as patterns for `--filter`.
    let longPattern: String

    init(bundle: URL) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("mutation-tests-\(getpid())")
        defer { try? FileManager.default.removeItem(at: file) }
        setenv("SWT_EXPERIMENTAL_EVENT_STREAM_FIELDS_ENABLED", "1", 1)
        defer { unsetenv("SWT_EXPERIMENTAL_EVENT_STREAM_FIELDS_ENABLED") }
        _ = try Program.output(
            bundle.path,
            [
                "--testing-library", "swift-testing", "--list-tests", "--event-stream-version", "0",
                "--event-stream-output-path", file.path,
            ])
        var names: Set<String> = []
        var longNames: Set<String> = []
        var exclusive: Set<TestSuite> = []
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            guard let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                record["kind"] as? String == "test", let test = record["payload"] as? [String: Any],
                let id = test["id"] as? String
            else { continue }
            let isSuite = test["kind"] as? String == "suite"
            // Of a test, its place in the file comes last.
            let name = isSuite ? id : id.split(separator: "/").dropLast().joined(separator: "/")
            let suite = String(name.split(separator: "/")[0])
            names.insert(suite)
            if let path = (test["sourceLocation"] as? [String: Any])?["_filePath"] as? String, try Self.shares(path) {
                exclusive.insert(TestSuite(name: suite))
            }
            let tags = (test["_tags"] as? [String] ?? []).map { $0.drop { $0 == "." } }
            if tags.contains("long") { longNames.insert(TestSuite(name: name).pattern) }
        }
        self.exclusive = exclusive
        // The lab's suites are run by a test, LabRunTests.
        quick = names.filter { !$0.contains("KernelLab") }.sorted().map(TestSuite.init)
        longPattern = longNames.sorted().joined(separator: "|")
    }

    /// Whether a file of tests has the number of a user, or uses keyrings of root's.
    private static func shares(_ path: String) throws -> Bool {
        try String(contentsOfFile: path, encoding: .utf8).contains(
            /\b6[01]_?[0-9]{3}\b|persistent|inUserScope|userKeyring|scope user|SKR_SCOPE=user|@u\b/)
    }
}
