import CommandSupport
import Glibc
import SessionKeyring

/// Runs a command while it holds a lock that a dead holder can't keep.
struct LockAction: VerbAction {
    let options: LockCommand
    let place: Place
    let command: CommandLineWords

    /// A wait that is shorter needs no words.
    private static let unannouncedWait = Duration.seconds(1)

    static var launchesAfterLookup: Bool { true }

    func run() throws {
        let store = try place.store()
        let unannounced = min(options.wait.duration, Self.unannouncedWait)
        try takeTurns(in: store, for: unannounced)
        if options.wait.duration > unannounced {
            // Nobody is to take the command for hung.
            if Console.isErrorTerminal { Console.note("waiting: \(heldMessage(in: store))") }
            try takeTurns(in: store, for: options.wait.duration - unannounced)
        }
        throw CommandError(
            exitCode: .tryAgain, message: heldMessage(in: store), hint: "try again, or wait longer with --wait")
    }

    /// Returns if somebody else holds the lock all the time.
    private func takeTurns(in store: SecretStore, for limit: Duration) throws {
        var deadline = DeadlineWait(limit, at: store.backend)
        repeat { try takeTurn(in: store) } while deadline.wait()
    }

    /// Who holds the lock, and for how long, as far as it is known.
    private func heldMessage(in store: SecretStore) -> String {
        let message = "\(Display.quoted(options.name)): somebody else holds the lock"
        guard let report = (store.backend as? KernelBackend)?.leaseReport(options.name) else { return message }
        let process = report.processID.map { "process \($0)" } ?? "a process that is not seen from here"
        let user = report.userID == geteuid() ? "" : " of user \(report.userID)"
        return "\(message): \(process)\(user)" + (report.duration.map { ", for \(DurationText.rounded($0))" } ?? "")
    }

    /// Returns if somebody else holds the lock.
    private func takeTurn(in store: SecretStore) throws {
        // Before the lease is taken, so that no signal ends us without releasing it.
        let signals = BlockedSignals()
        guard try !store.backend.isLeaseHeld(options.name),
            let lease = try store.backend.tryLease(options.name, lasting: options.timeout.duration)
        else { return signals.release() }
        try runCommand(under: lease, signals)
    }

    private func runCommand(under lease: any LeaseHandle, _ signals: BlockedSignals) throws(CommandError) -> Never {
        let end: ChildEnd
        do throws(CommandError) {
            var environment = EnvironmentBlock()
            let number = String(lease.fencingNumber)
            unsafe environment.set("SKR_FENCING_NUMBER", to: number.utf8Span.span.bytes)
            var child = try ChildCommand(
                command, environment: environment, holding: signals,
                renewer: LeaseRenewer(lease, lasting: options.timeout.duration))
            end = child.waitForEnd()
        } catch {
            _ = lease.release()
            throw error
        }
        guard !lease.release() else { end.propagate() }
        let lost = CommandError(
            exitCode: .tryAgain, message: "\(Display.quoted(options.name)): the lock was lost while the command ran",
            hint: "others may have run theirs meanwhile; a longer --timeout bears longer stops")
        guard end.exitCode != 0 else { throw lost }
        Console.report(lost)
        end.propagate()
    }
}
