import CTestPause
import Foundation
import Keyutils

/// A forked process that stands before those of its keyring calls that a test chooses.
///
/// For tests in a process of their own: the fork has just the thread that forks.
final class PausedProcess {
    private var process = test_process()

    /// Runs `body` in the fork, which stands before its first call; it exits with 0, or 99 if `body` throws.
    init(_ body: () throws -> Void) {
        guard test_process_fork(&process, 1) == 0 else { return }
        test_process_begin(&process)
        do {
            try body()
            _exit(0)
        } catch {
            FileHandle.standardError.write(Data("paused process: \(error)\n".utf8))
            _exit(99)
        }
    }

    /// Lets it make the call before which it stands, and run up to the next one; false if it ends instead.
    func step() -> Bool {
        let next = process.calls + 1
        test_process_resume(&process, next)
        return process.id > 0 && test_processes_run(&process, 1, 60_000) && process.stopped != 0
    }

    /// Lets it run up to the call that comes as the `count`th of that keyctl operation; false if it ends before.
    func run(upTo operation: CInt, count: Int = 1) -> Bool {
        for _ in 0..<count {
            repeat {
                guard step() else { return false }
            } while process.operation != operation
        }
        return true
    }

    /// Lets it run to its end; its exit code, or -1.
    func end() -> CInt {
        test_process_resume(&process, 0)
        guard process.id > 0, test_processes_run(&process, 1, 60_000), process.status & 0x7F == 0 else { return -1 }
        return process.status >> 8
    }

    func kill() { test_process_kill(&process) }

    /// In the fork: a call that nothing else makes, for `standsAtMark` to find.
    static func mark() { _ = try? Key(Keyring.thread).securityLabel() }

    /// Lets it run up to its next mark.
    func standsAtMark() -> Bool { run(upTo: 17) }
}
