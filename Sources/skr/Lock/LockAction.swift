import CommandSupport
import Glibc
import SessionKeyring

/// Runs a command while holding a lock that its dead holder can't keep.
struct LockAction {
    let request: LockRequest

    func run() throws -> Never {
        let store = try request.place.store()
        var patience = Patience(request.patience, at: store.backend)
        repeat { try takeTurn(in: store) } while patience.wait()
        throw CommandError(
            exitCode: .tryAgain, message: "\(Display.quoted(request.name)): somebody else holds the lock",
            hint: "try again, or wait longer with --wait")
    }

    /// Returns where somebody else holds it.
    private func takeTurn(in store: SecretStore) throws {
        // From before the lease is ours, so that no signal leaves it behind.
        let signals = HeldSignals()
        guard try !store.backend.isLeaseHeld(request.name),
            let lease = try store.backend.tryLease(request.name, lasting: request.timeout)
        else { return signals.release() }
        try runCommand(under: lease, signals)
    }

    private func runCommand(under lease: any HeldLease, _ signals: HeldSignals) throws(CommandError) -> Never {
        let end: ChildEnd
        do throws(CommandError) {
            var environment = EnvironmentBlock()
            let number = String(lease.fencingNumber)
            unsafe environment.set("SKR_FENCING_NUMBER", to: number.utf8Span.span.bytes)
            var child = try ChildCommand(
                request.command, environment: environment, holding: signals,
                keeper: LeaseKeeper(lease, lasting: request.timeout))
            end = child.waitForEnd()
        } catch {
            _ = lease.release()
            throw error
        }
        guard !lease.release() else { end.leave() }
        let lost = CommandError(
            exitCode: .tryAgain, message: "\(Display.quoted(request.name)): the lock was lost while the command ran",
            hint: "others may have run theirs meanwhile; a longer --timeout bears longer stops")
        guard end.exitCode != 0 else { throw lost }
        Console.report(lost)
        end.leave()
    }
}
