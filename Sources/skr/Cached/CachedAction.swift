import CKeyutils
import CommandSupport
import Glibc
import SessionKeyring

/// Prints what a command has printed before, or runs it once for all that ask.
struct CachedAction {
    /// How soon others go on after a process that died while it ran the command.
    static let leaseDuration = Duration.seconds(10)

    /// How long to wait for the one that runs it; a command may take its time.
    private static let patience = Duration.seconds(24 * 3_600)

    let request: CachedRequest

    func run() throws -> Never {
        if let owner = try request.place.secretScope.foreignOwner() {
            try UncachedRun(command: request.command, sessionOwner: owner).run()
        }
        let store = try request.place.store()
        // A hit needs nothing of what follows.
        if !request.isForced, request.refreshBefore == nil, let answer = try CachedAnswer.read(request.item, in: store)
        {
            try answer.give()
        }
        let flight = try SingleFlight(store: store, item: request.item, leaseDuration: Self.leaseDuration)
        var patience = Patience(Self.patience, at: store.backend)
        repeat { try takeTurn(of: flight, in: store) } while patience.wait()
        throw SecretStoreError(.leaseHeld, item: request.item)
    }

    /// Returns where somebody else is at it.
    private func takeTurn(of flight: SingleFlight, in store: SecretStore) throws {
        // From before the lease is ours, so that no signal leaves it behind.
        let signals = HeldSignals()
        let refreshes = request.refreshBefore != nil
        let turn: SingleFlight.Turn<CachedAnswer>
        do throws(SecretStoreError) {
            turn = try flight.nextTurn(refreshes: refreshes, force: request.isForced) {
                () throws(SecretStoreError) in try CachedAnswer.read(request.item, in: store)
            }
        } catch {
            guard error.code.isLackOfRoom else { throw error }
            Console.warn(CommandError(notKeptBecause: error))
            turn = .fetch(FetchLease.none, stillGood: nil)
        }
        switch turn {
        case .take(let answer):
            signals.release()
            try answer.give()
        case .wait: signals.release()
        case .fetch(let lease, let old): try fetch(flight, in: store, under: lease, old: old, signals)
        }
    }

    private func fetch(
        _ flight: SingleFlight,
        in store: SecretStore,
        under lease: FetchLease,
        old: CachedAnswer?,
        _ signals: HeldSignals
    ) throws -> Never {
        // Only a good output is fetched anew before its end.
        if let old, old.exitCode != 0 {
            _ = lease.release()
            signals.release()
            try old.give()
        }
        if let old, request.isStaleWhileRefreshing {
            // A forked process has no part in a lease, so the other one takes its own.
            _ = lease.release()
            signals.release()
            LookupThread.onFirstThread {
                guard fork_detached() == 1 else { return }
                exit(Skr.exitCode { () throws(CommandError) in try Invocation.cached(request.inForeground).run() })
            }
            try old.give()
        }
        let fetch = CachedFetch(
            request: request, flight: flight, store: store, lease: lease, signals: signals, old: old)
        try fetch.run()
    }
}

extension Place {
    /// Drops what is kept of the item, be it an output or a failure.
    func forgetCached(_ item: ItemIdentity) throws(SecretStoreError) {
        let store = try store()
        let flight = try SingleFlight(store: store, item: item, leaseDuration: CachedAction.leaseDuration)
        let hadFailure = try store.delete(item.failureMark)
        guard try flight.forget() || hadFailure else { throw SecretStoreError(.notFound, item: item) }
    }
}
