import Foundation
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing
import Threads

@Suite("The threads of timers", .tags(.kernel, .threads))
struct TimerThreadTests {
    @Test("1,000 leases one after the other leave few threads")
    func leases() async throws {
        let scratch = try ScratchKeyring()
        let serial = scratch.keyring.serial.rawValue
        await #expect(processExitsWith: .exitCode(0)) { [serial = serial as Int32] in
            alarm(120)
            let store = try SecretStore(.keyring(KeySerial(rawValue: serial)))
            for _ in 0..<1_000 { try await store.withLease("job", waiting: .seconds(10)) { _ in } }
            let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
            exit(threads < 32 ? 0 : Int32(min(threads, 255)))
        }
        withExtendedLifetime(scratch) {}
    }

    @Test(
        "a program that can have 24 threads takes 100 leases, and ends",
        .tags(.root), .enabled(if: isRoot, "needs root to become another user"))
    func limited() throws {
        let outcome = try ChildProcess.run(
            "/usr/bin/setpriv",
            ["--reuid", "60273", "--regid", "60273", "--clear-groups", "prlimit", "--nproc=24"]
                + ["keyctl", "session", "-", builtProgram("lease-example")],
            environment: ChildProcess.environment([:]))
        #expect(outcome.exitCode == 0, "\(String(decoding: outcome.errors, as: UTF8.self))")
    }
}
