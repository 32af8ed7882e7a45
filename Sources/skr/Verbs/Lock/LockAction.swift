import CommandSupport
import Glibc
import SessionKeyring

/// Runs a command while it holds a lock, which a dead process can't keep.
struct LockAction {
    let name: String
    let timeout: Duration
    /// How long to wait for the lock.
    let limit: Duration
    let place: Place
    let command: CommandLineWords

    /// A shorter wait is not announced.
    private static let unannouncedWait = Duration.seconds(1)

    func run() throws {
        let store = try place.store()
        let unannounced = min(limit, Self.unannouncedWait)
        try takeTurns(in: store, for: unannounced)
        if limit > unannounced {
            // Tell the user, so that the command doesn't seem to hang.
            if Console.isErrorTerminal { Console.note("waiting: \(heldMessage(in: store))") }
            try takeTurns(in: store, for: limit - unannounced)
        }
        throw CommandError(
            exitCode: .tryAgain, message: heldMessage(in: store), hint: "try again, or wait longer with --wait")
    }

    /// Tries to run the command under the lock; returns if others hold the lock during the whole time limit.
    private func takeTurns(in store: SecretStore, for limit: Duration) throws {
        var wait = Wait(upTo: limit)
        while true {
            // Signals are blocked before the lease is taken, so that no signal ends us without releasing it.
            let signals = BlockedSignals()
            let lease: any LeaseHandle
            do throws(SecretStoreError) {
                lease = try store.backend.takeLease(
                    name, lasting: timeout, wait.effort
                ).get()
            } catch {
                signals.release()
                if wait.sleep(after: error) { continue }
                if error.isLeaseHeld { return }
                throw error
            }
            try runCommand(under: lease, signals)
        }
    }

    /// Returns a message that says who holds the lock, and for how long, as far as that is known.
    private func heldMessage(in store: SecretStore) -> String {
        let message = "\(Display.quoted(name)): another process holds the lock"
        guard let report = store.backend.leaseReport(name) else { return message }
        let process = report.processID.map { "process \($0)" } ?? "a process that is not visible here"
        let user = report.userID == geteuid() ? "" : " of user \(report.userID)"
        return "\(message): \(process)\(user)" + (report.duration.map { ", for \(DurationText.rounded($0))" } ?? "")
    }

    private func runCommand(under lease: any LeaseHandle, _ signals: BlockedSignals) throws(CommandError) -> Never {
        let end: ChildEnd
        do throws(CommandError) {
            var environment = EnvironmentBlock()
            let number = String(lease.fencingNumber)
            unsafe environment.set("SKR_FENCING_NUMBER", to: number.utf8Span.span.bytes)
            var child = try ChildCommand(
                command, ChildSettings(environment: environment), holding: signals,
                renewer: LeaseRenewer(lease, lasting: timeout))
            end = child.waitForEnd()
        } catch {
            _ = lease.release()
            throw error
        }
        // If the command still runs, as one of another user that we can't signal, others must wait for its end. The
        // lease names it, so the lock becomes free then.
        if end.isGivenUp {
            _ = try? lease.renew(lasting: HeldLease.longest)
            end.endWithSignal()
        }
        guard !lease.release() else { end.propagate() }
        let lost = CommandError(
            exitCode: .tryAgain, message: "\(Display.quoted(name)): the lock was lost while the command ran",
            hint: "another process may have run its command meanwhile; if skr was stopped, pass a longer --timeout")
        guard end.exitCode != 0 else { throw lost }
        Console.report(lost)
        end.propagate()
    }
}
