import CProcess
import CommandSupport
import Glibc
import SessionKeyring
import SystemPackage

/// Prints what a command has printed before, or runs it once for all processes that want it.
struct CachedAction: VerbAction {
    /// How long others wait for a process that has died while it ran the command.
    static let leaseDuration = Duration.seconds(10)

    /// How long to wait for the process that runs the command.
    private static let waitLimit = Duration.seconds(24 * 3_600)

    let request: CachedRequest

    static var launchesAfterLookup: Bool { true }

    func run() throws {
        if let owner = try request.place.secretScope.foreignOwner() {
            try runWithoutKeeping(in: owner)
        }
        let store = try request.place.store()
        // Most calls end here.
        if !request.isForced, request.refreshBefore == nil, let answer = try CachedAnswer.read(request.item, in: store)
        {
            try answer.printAndExit()
        }
        let flight = try SingleFlight(
            store: store, item: request.item, leaseDuration: Self.leaseDuration,
            request.refreshBefore == nil ? .never : .due)
        var deadline = DeadlineWait(Self.waitLimit, at: store.backend)
        repeat { try takeTurn(of: flight, in: store) } while deadline.wait()
        throw SecretStoreError(.leaseHeld, item: request.item)
    }

    /// Becomes the command: in another user's session, that user could read what is stored, and could have forged what
    /// is there.
    private func runWithoutKeeping(in sessionOwner: UInt32) throws -> Never {
        Console.warn(
            CommandError(
                exitCode: .noPermission, message: "nothing is kept: the session belongs to user \(sessionOwner)",
                hint: CommandError(SecretStoreError(.foreignSession(ownerID: sessionOwner))).hint))
        if let input = try CachedFetch.input() { _ = try input.duplicate(as: .standardInput) }
        try Launch.become(request.command)
    }

    /// Returns if another process runs the command.
    private func takeTurn(of flight: SingleFlight, in store: SecretStore) throws {
        // Before the lease is taken, so that no signal ends us without releasing it.
        let signals = BlockedSignals()
        let turn: SingleFlight.Turn<CachedAnswer>
        do throws(SecretStoreError) {
            turn = try flight.nextTurn(force: request.isForced) {
                () throws(SecretStoreError) in
                guard let answer = try CachedAnswer.read(request.item, in: store) else { return nil }
                return answer.output.bytes.withBytes { bytes in Found(answer, from: bytes) }
            }
        } catch {
            guard error.code.isLackOfRoom else { throw error }
            Console.warn(CommandError(notKeptBecause: error))
            turn = .fetch(FetchLease.none, old: nil, isOldUsable: false)
        }
        switch turn {
        case .take(let answer):
            signals.release()
            try answer.printAndExit()
        case .wait: signals.release()
        case .fetch(let lease, let old, let isOldUsable):
            try fetch(flight, in: store, under: lease, old: isOldUsable ? old : nil, signals)
        }
    }

    private func fetch(
        _ flight: SingleFlight,
        in store: SecretStore,
        under lease: FetchLease,
        old: CachedAnswer?,
        _ signals: BlockedSignals
    ) throws -> Never {
        // A failure is not refreshed.
        if let old, old.exitCode != 0 {
            _ = lease.release()
            signals.release()
            try old.printAndExit()
        }
        if let old, request.isStaleWhileRefreshing {
            // A lease does not survive a fork, so the forked process takes its own.
            _ = lease.release()
            signals.release()
            LookupThread.onFirstThread {
                guard fork_detached() == 1 else { return }
                exit(
                    Skr.exitCode { () throws(CommandError) in try CachedAction(request: request.inForeground).perform()
                    })
            }
            try old.printAndExit()
        }
        let fetch = CachedFetch(
            request: request, flight: flight, store: store, lease: lease, signals: signals, old: old)
        try fetch.run()
    }
}

/// Deletes a stored output or failure.
struct ForgetAction: VerbAction {
    let place: Place
    let item: ItemIdentity

    func run() throws {
        let store = try place.store()
        let flight = try SingleFlight(
            store: store, item: item, leaseDuration: CachedAction.leaseDuration, .never)
        let hadFailure = try store.delete(item.failureSentinel)
        guard try flight.forget() || hadFailure else { throw SecretStoreError(.notFound, item: item) }
    }
}

extension CachedAction {
    /// `nil` for a call that is not plain.
    init?(plain words: CommandLineWords) {
        guard var call = PlainCall(launching: words) else { return nil }
        var keys: [String] = []
        var (timeout, refreshBefore, failureTimeout): (Duration?, Duration?, Duration?)
        var lifetimePath: String?
        var (isStaleWhileRefreshing, isForced) = (false, false)
        while let option = call.nextOption() {
            switch option {
            case "--stale-while-refreshing" where !isStaleWhileRefreshing: isStaleWhileRefreshing = true
            case "--force" where !isForced: isForced = true
            case "--key": if let key = call.value() { keys.append(key) }
            case "--timeout-from-json" where lifetimePath == nil: lifetimePath = call.value()
            case "--timeout" where timeout == nil: timeout = call.duration()
            case "--refresh-before" where refreshBefore == nil: refreshBefore = call.duration()
            case "--cache-failures" where failureTimeout == nil: failureTimeout = call.duration()
            default: return nil
            }
        }
        guard let (name, place) = call.named() else { return nil }
        request = CachedRequest(
            place: place, item: .cached(name, variant: CachedVariant.text(of: keys)), timeout: timeout,
            lifetimePath: lifetimePath, refreshBefore: refreshBefore, isStaleWhileRefreshing: isStaleWhileRefreshing,
            failureTimeout: failureTimeout, isForced: isForced, command: call.command)
        guard (try? request.check()) != nil else { return nil }
    }
}
