import CTestPause
import Foundation
import Keyutils

/// A forked process that pauses before the keyring calls that a test chooses.
///
/// Only for exit tests: the fork has only the thread that called `fork`.
final class PausedProcess {
    private var process = test_process()

    /// Forks a process that pauses before the first call of `body`.
    ///
    /// It exits with 0, or with 99 if `body` throws.
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

    /// Lets the process make the call it is paused at and run up to the next one; false if it exits instead.
    func step() -> Bool {
        let next = process.calls + 1
        test_process_resume(&process, next)
        return process.id > 0 && test_processes_run(&process, 1, 60_000) && process.stopped != 0
    }

    /// Lets the process run up to its `count`th call of that keyctl operation; false if it exits before that.
    func run(upTo operation: CInt, count: Int = 1) -> Bool {
        for _ in 0..<count {
            repeat {
                guard step() else { return false }
            } while process.operation != operation
        }
        return true
    }

    /// Lets the process run until it exits; returns its exit code, or -1 if a signal ended it or it does not exit.
    func end() -> CInt {
        test_process_resume(&process, 0)
        guard process.id > 0, test_processes_run(&process, 1, 60_000), process.status & 0x7F == 0 else { return -1 }
        return process.status >> 8
    }

    func kill() { test_process_kill(&process) }

    /// Makes a call in the fork that no other code makes, so that `standsAtMark` can find it.
    static func mark() { _ = try? Key(Keyring.thread).securityLabel() }

    /// Lets the process run up to its next mark; false if it exits before that.
    func standsAtMark() -> Bool { run(upTo: 17) }
}
