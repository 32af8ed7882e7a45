import Foundation
import SessionKeyring
import TestSupport
import Testing

/// Runs `Tests/TokenExample` in many processes of one session.
@Suite("The example of an OAuth token", .tags(.kernel))
struct TokenExampleTests {
    @Test("10 processes at the same time log in once, and refresh once")
    func once() throws { try run(processes: 10) }

    @Test("30 processes at the same time log in once, and refresh once", .tags(.long))
    func onceForMany() throws { try run(processes: 30) }

    private func run(processes: Int) throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("skr-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        // In the second round, processes may print the old token while one of them refreshes it.
        let script = """
            round() { for _ in {1..\(processes)}; do "$1" "$2" & done; wait; }
            round "$@" | sort | uniq -c
            companion() { keyctl search @s user "$3" 2>/dev/null; }
            keyctl timeout $(companion "$@") 1
            while companion "$@" >/dev/null; do sleep 0.02; done
            round "$@" >/dev/null
            "$@"
            """
        let companion = ItemIdentity.password(service: "example.com", account: "alice").companion
        let words = ["bash", builtProgram("token-example"), directory.path, companion.keyDescription]
        let outcome = try ChildProcess.run(
            "/usr/bin/keyctl", ["session", "-", "/bin/bash", "-c", script] + words,
            environment: ChildProcess.environment([:]), within: .seconds(300))
        let lines = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n")
        #expect(lines.map { $0.trimmingCharacters(in: .whitespaces) } == ["\(processes) access-1", "access-2"])
        #expect(String(decoding: outcome.errors, as: UTF8.self).filter { $0.isNewline }.count <= 1)
        let log = try String(contentsOf: directory.appendingPathComponent("log"), encoding: .utf8)
        #expect(log == "login\nrefresh\n")
    }
}
