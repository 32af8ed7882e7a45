import CommandSupport
import Glibc
import SessionKeyring

/// Runs a command while holding a lock that its dead holder can't keep.
struct LockAction: VerbAction {
    let place: Place
    let name: String
    /// How soon others may go on after a holder that died.
    let timeout: Duration
    /// How long to wait for others.
    let waitLimit: Duration
    let command: CommandLineWords

    static var launchesAfterLookup: Bool { true }

    func run() throws {
        let store = try place.store()
        var deadline = DeadlineWait(waitLimit, at: store.backend)
        repeat { try takeTurn(in: store) } while deadline.wait()
        throw CommandError(
            exitCode: .tryAgain, message: "\(Display.quoted(name)): somebody else holds the lock",
            hint: "try again, or wait longer with --wait")
    }

    /// Returns where somebody else holds it.
    private func takeTurn(in store: SecretStore) throws {
        // From before the lease is ours, so that no signal leaves it behind.
        let signals = BlockedSignals()
        guard try !store.backend.isLeaseHeld(name),
            let lease = try store.backend.tryLease(name, lasting: timeout)
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
                keeper: LeaseKeeper(lease, lasting: timeout))
            end = child.waitForEnd()
        } catch {
            _ = lease.release()
            throw error
        }
        guard !lease.release() else { end.propagate() }
        let lost = CommandError(
            exitCode: .tryAgain, message: "\(Display.quoted(name)): the lock was lost while the command ran",
            hint: "others may have run theirs meanwhile; a longer --timeout bears longer stops")
        guard end.exitCode != 0 else { throw lost }
        Console.report(lost)
        end.propagate()
    }
}
