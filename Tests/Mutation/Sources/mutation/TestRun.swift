import Foundation
import Glibc

/// A run of some tests with some mutants active.
struct TestRun {
    enum Outcome: Sendable {
        case passed
        /// The first test that failed, and the reason.
        case failed(test: String, why: String)
    }

    struct Result: Sendable {
        let outcome: Outcome
        /// All tests that failed, unless the run ended at the first one.
        let failedTests: [String]
        /// Whether all tests ran.
        let isWhole: Bool
        let seconds: Double
    }

    /// POSIX_SPAWN_SETSID, which the Glibc module lacks.
    private static let ownSession: Int16 = 0x80

    let bundle: URL
    /// The patterns for `--filter` and `--skip`.
    let filter: String
    let skip: String
    let mutants: [Int]
    /// The file in which the numbers of reached mutants are recorded.
    var reached: URL? = nil
    /// A run without an event for this many seconds hangs.
    let silence: Double
    /// Whether the tests are killed at their first failure, so that they don't clean up.
    var endsAtFailure = true

    static let hangs = "hangs"

    /// Runs the tests.
    func run() throws -> Result {
        let events = FileManager.default.temporaryDirectory.appendingPathComponent(
            "mutation-events-\(UUID().uuidString)")
        try Data().write(to: events)
        defer { try? FileManager.default.removeItem(at: events) }
        let started = Date()
        let child = try start(events)
        let stream = try FileHandle(forReadingFrom: events)
        defer { try? stream.close() }

        var state = EventReader(silence: silence)
        var status = CInt()
        var isRunning = true
        while isRunning, state.failure == nil || !endsAtFailure && !state.isSilent {
            isRunning = waitpid(child, &status, WNOHANG) == 0
            try state.read(stream)
            if isRunning { usleep(20_000) }
        }
        while try state.read(stream) {}
        Self.killAll(of: events.path, session: child)
        // All tests of the suite are long, and nothing is left of it.
        if !isRunning, status >> 8 == 69 { status = 0 }
        if isRunning { waitpid(child, &status, 0) }
        var failure = state.failure
        if failure == nil, status != 0 {
            let how = status & 0x7F == 0 ? "exit code \((status >> 8) & 0xFF)" : "signal \(status & 0x7F)"
            failure = (state.lastTest, "ended with \(how)")
        }
        return Result(
            outcome: failure.map { .failed(test: $0.test, why: $0.why) } ?? .passed,
            failedTests: state.failedTests, isWhole: state.hasEnded, seconds: -started.timeIntervalSinceNow)
    }

    private func start(_ events: URL) throws -> pid_t {
        var words = [
            "/usr/bin/env", "keyctl", "session", "-", bundle.path, "--testing-library", "swift-testing",
            "--event-stream-version", "0", "--event-stream-output-path", events.path, "--filter", filter,
        ]
        if !skip.isEmpty { words += ["--skip", skip] }
        var environment = ProcessInfo.processInfo.environment
        environment["SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH"] = "6"
        environment["MUTANTS_ACTIVE"] = mutants.map(String.init).joined(separator: ",")
        environment["MUTANTS_REACHED"] = reached?.path
        environment[Self.mark] = events.path
        let arguments = words.map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { (arguments + variables).forEach { free($0) } }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Self.ownSession)
        var child = pid_t()
        let code = posix_spawn(&child, words[0], &actions, &attributes, arguments, variables)
        guard code == 0 else { throw Failure("the tests can't be started: \(String(cString: strerror(code)))") }
        return child
    }

    /// The variable by which the processes of a run are found.
    private static let mark = "MUTATION_RUN"

    /// Kills the tests and all that they started: those of their session, and those with the variable.
    private static func killAll(of run: String, session: pid_t) {
        let wanted = Data("\(mark)=\(run)\0".utf8)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
            guard let process = pid_t(name) else { continue }
            let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ")
            if getsid(process) == session || environment?.range(of: wanted) != nil { kill(process, SIGKILL) }
        }
    }
}

/// Follows the events that Swift Testing writes.
private struct EventReader {
    let silence: Double
    private(set) var failure: (test: String, why: String)?
    private(set) var failedTests: [String] = []
    private(set) var running: [String] = []
    private(set) var hasEnded = false
    private var rest = Data()
    /// How many bytes of the rest contain no end of a line; some lines have millions.
    private var scanned = 0
    private var lastEvent = Date()

    init(silence: Double) { self.silence = silence }

    var isSilent: Bool { -lastEvent.timeIntervalSinceNow > silence }

    /// The test that began last among those that have not ended; suites begin before their tests.
    var lastTest: String { running.last ?? "the bundle" }

    /// Reads the new events, and returns false if nothing has been added.
    @discardableResult
    mutating func read(_ stream: FileHandle) throws -> Bool {
        let new = stream.availableData
        guard !new.isEmpty else {
            if isSilent { fail(lastTest, TestRun.hangs) }
            return false
        }
        lastEvent = Date()
        rest += new
        var start = rest.startIndex
        while let end = rest[(start + scanned)...].firstIndex(of: UInt8(ascii: "\n")) {
            try read(rest[start..<end])
            (start, scanned) = (end + 1, 0)
        }
        rest = Data(rest[start...])
        scanned = rest.count
        return true
    }

    private mutating func read(_ line: Data) throws {
        guard let record = try JSONSerialization.jsonObject(with: line) as? [String: Any],
            record["kind"] as? String == "event", let event = record["payload"] as? [String: Any],
            let kind = event["kind"] as? String
        else { return }
        let test = event["testID"] as? String ?? "the bundle"
        switch kind {
        case "testStarted": running.append(test)
        case "runEnded": hasEnded = true
        case "testEnded": running.removeAll { $0 == test }
        case "issueRecorded":
            let issue = event["issue"] as? [String: Any]
            guard issue?["isKnown"] as? Bool != true, issue?["isFailure"] as? Bool != false else { return }
            let messages = (event["messages"] as? [[String: Any]] ?? []).compactMap { $0["text"] as? String }
            fail(test, messages.first.map { String($0.prefix(160)) } ?? "")
        default: break
        }
    }

    private mutating func fail(_ test: String, _ why: String) {
        failure = failure ?? (test, why)
        if !failedTests.contains(test) { failedTests.append(test) }
    }
}
