import Foundation

/// A suite of the test bundle, or a test that is in no suite.
struct TestSuite: Hashable, Sendable {
    /// The name for `--filter`, such as `SessionKeyringTests.ScopeTests`.
    let name: String

    var module: Substring { name.prefix { $0 != "." } }

    /// The pattern for `--filter`.
    var pattern: String {
        "^" + NSRegularExpression.escapedPattern(for: name) + "(/|$)"
    }
}

/// The suites of the test bundle.
struct TestSuites {
    /// Suites that usually take a few seconds at most, without their long tests.
    let quick: [TestSuite]
    /// Suites whose runs must not overlap, because they use keyrings or a quota that all processes of a user share.
    let exclusive: Set<TestSuite>
    /// The patterns for `--filter` of all tests that take minutes, in any suite.
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
            // The id of a test ends with its place in the file.
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
        // A test, LabRunTests, runs the lab's suites.
        quick = names.filter { !$0.contains("KernelLab") }.sorted().map(TestSuite.init)
        longPattern = longNames.sorted().joined(separator: "|")
    }

    /// Whether a test file contains the id of a user, or uses keyrings that all of root's processes share.
    private static func shares(_ path: String) throws -> Bool {
        try String(contentsOfFile: path, encoding: .utf8).contains(
            /\b6[01]_?[0-9]{3}\b|persistent|inUserScope|userKeyring|scope user|SKR_SCOPE=user|@u\b/)
    }
}
