import Foundation
import Testing

@testable import skr

@Suite("The end of a command at its limit")
struct CommandEndingTests {
    @Test("processes that ignore SIGTERM are killed after the grace")
    func grace() throws {
        let ready = FileManager.default.temporaryDirectory.appendingPathComponent("skr-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: ready) }
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        // The shell is the guard, which ends once the processes below it have ended.
        let script = #"trap "" TERM; sh -c "sleep 77; sleep 77" & sleep 77 & : > "$0"; wait; exit 5"#
        let commandGuard = try ChildProcess(
            "/bin/sh", ["-c", script, ready.path], environment: ChildProcess.environment([:]),
            files: (null, null, null))
        #expect(becomesTrue(within: 30) { FileManager.default.fileExists(atPath: ready.path) })

        let descendants = Descendants(of: commandGuard.processID, orOnly: commandGuard.processID)
        var ending = CommandEnding(of: descendants, limit: .milliseconds(50), grace: .milliseconds(200))
        let begun = ContinuousClock.now
        while !ending.isOver {
            ending.advance(isCommandOver: false)
            usleep(20_000)
        }
        #expect(ContinuousClock.now - begun >= .milliseconds(250))
        #expect(try commandGuard.wait(until: .now + .seconds(30)) == 5)
    }

    @Test("a command that /proc does not show gets the whole grace")
    func hidden() throws {
        // Nothing is below this guard, as with a /proc that hides the processes of other users.
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        let environment = ChildProcess.environment([:])
        let commandGuard = try ChildProcess(
            "/bin/sleep", ["77"], environment: environment, files: (null, null, null))
        let command = try ChildProcess("/bin/sleep", ["77"], environment: environment, files: (null, null, null))
        let descendants = Descendants(of: commandGuard.processID, orOnly: command.processID)
        var ending = CommandEnding(of: descendants, limit: .milliseconds(50), grace: .seconds(1))
        let begun = ContinuousClock.now
        while !ending.isOver {
            ending.advance(isCommandOver: false)
            usleep(20_000)
        }
        #expect(ContinuousClock.now - begun >= .milliseconds(1_050))
        #expect(try command.wait(until: .now + .seconds(30)) == 143)
        kill(commandGuard.processID, SIGKILL)
        _ = try commandGuard.wait(until: .now + .seconds(30))
    }
}
