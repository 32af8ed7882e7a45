import CProcess
import CommandSupport
import CredentialHelpers
import Glibc
import SessionKeyring
import SystemPackage

/// Prints the kept output of a command, or runs the command once for all processes that want its output.
struct CachedAction {
    /// How long other processes wait for a process that has died while it was running the command.
    static let leaseDuration = Duration.seconds(10)

    /// How long to wait for the process that runs the command.
    static let waitLimit = Duration.seconds(24 * 3_600)

    let place: Place
    let item: ItemIdentity
    /// The value of `--timeout`; `nil` if only the output states its lifetime.
    let timeout: TimeoutArgument?
    /// The path of the output's field that states its lifetime.
    var lifetimePath: String?
    var refreshBefore: Duration?
    var isStaleWhileRefreshing = false
    /// How long a failure is remembered; `nil` for not at all.
    var failureTimeout: Duration?
    var isForced = false
    let command: CommandLineWords
    /// The form of the output for another caller; `nil` if the output is printed unchanged.
    var form: (any OutputForm)?

    func run() throws -> Never { try fetched(in: try usualStore()).printAndExit() }

    /// Returns the kept output, or runs the command once for all processes that want its output.
    func fetched(in store: SecretStore) throws -> FetchedOutput {
        // Most calls end here.
        if !isForced, refreshBefore == nil, let kept = try readKept(in: store) { return FetchedOutput(answer: kept) }
        let flight = try SingleFlight(
            in: store.backend, item: item, leaseDuration: Self.leaseDuration,
            refreshBefore == nil ? .never : .due)
        var wait = Wait(upTo: form?.waitLimit ?? Self.waitLimit)
        var next = FetchTurn(of: flight, force: isForced)
        while true {
            // Signals are blocked before the lease is taken, so that no signal ends us without releasing it.
            var signals = BlockedSignals()
            let turn: SingleFlight.Turn<CachedAnswer>
            do throws(SecretStoreError) {
                turn = try next.attempt(wait.effort) { () throws(SecretStoreError) in
                    try readKept(in: store).map { Found($0, $0.known) }
                }.get()
            } catch {
                next.releaseLease()
                signals.release()
                form?.noteWait()
                if wait.sleep(after: error) { continue }
                if error.isLeaseHeld { throw SecretStoreError(.leaseHeld, item: item) }
                guard error.code.isLackOfRoom || (!isOfOneCommand && error.code.isForeignSession) else { throw error }
                warn(CommandError(notKeptBecause: error))
                signals = BlockedSignals()
                turn = .fetch(FetchLease.none, old: nil, isOldUsable: false)
            }
            switch turn {
            case .take(let answer):
                signals.release()
                return FetchedOutput(answer: answer)
            case .fetch(let lease, let old, let isOldUsable):
                return try fetch(flight, in: store, under: lease, old: isOldUsable ? old : nil, signals)
            }
        }
    }

    /// Whether a stored output counts only for the same command line.
    var isOfOneCommand: Bool { form?.isOfOneCommand ?? true }

    /// Reads the kept output; `nil` if there isn't one, or if a client can't use it any more.
    private func readKept(in store: SecretStore) throws(SecretStoreError) -> CachedAnswer? {
        let kept = try CachedAnswer.read(item, of: command.hash, isOfOneCommand: isOfOneCommand, in: store)
        guard let kept, let form else { return kept }
        var answer = form.answer(kept: kept) {
            // An answer without an expiry is better than no answer.
            guard case .after(let left) = (try? store.attributes(of: item))?.expiry else { return nil }
            return CredentialHelper.time() + left.atLeast.components.seconds
        }
        answer?.known = kept.known
        return answer
    }

    /// The warning that this command's output replaces another command's output.
    var otherCommand: CommandError {
        let name = Display.name(of: item)
        return CommandError(
            exitCode: .data, message: "'\(name)' held the output of another command; this output replaces it",
            hint: form == nil
                ? "to keep both, use --key: skr cached \(name) --key WORD ..."
                : "give each command its own NAME")
    }

    /// Reports a problem that did not make the command fail.
    ///
    /// If the client reads standard error as a part of the answer, nothing is reported.
    func warn(_ error: CommandError) {
        if form?.warns != false { Console.warn(error) }
    }

    /// Returns the store that keeps outputs.
    ///
    /// If another user owns the session, that user could read the items, and could have forged them. A session that has
    /// ended can't be read. In both cases, no output is kept: this process replaces itself with the command. For a
    /// client, it instead uses a store that vanishes with this process.
    private func usualStore() throws -> SecretStore {
        let problem: SecretStoreError
        do throws(SecretStoreError) {
            guard let owner = try place.secretScope.foreignOwner() else { return try place.store() }
            problem = SecretStoreError(.foreignSession(ownerID: owner))
        } catch {
            guard error.code == .sessionRevoked else { throw error }
            problem = SecretStoreError(.sessionRevoked)
        }
        let error = CommandError(problem)
        let reason: String
        if case .foreignSession(let owner) = problem.code {
            reason = "the session belongs to user \(owner)"
        } else {
            reason = error.message
        }
        warn(CommandError(exitCode: error.exitCode, message: "nothing is kept: \(reason)", hint: error.hint))
        if form == nil {
            if let input = try CachedFetch.input() { _ = try input.duplicate(as: .standardInput) }
            try Launch.become(command)
        }
        // A client's answer is made from a stored output, so the output is stored for as long as this process lives.
        return try SecretStore(.process, namespace: place.namespace)
    }

    private func fetch(
        _ flight: SingleFlight,
        in store: SecretStore,
        under lease: FetchLease,
        old: CachedAnswer?,
        _ signals: BlockedSignals
    ) throws -> FetchedOutput {
        if let old, old.exitCode != 0 || isStaleWhileRefreshing {
            // A forked process doesn't hold its parent's lease, so the one that refreshes in the background takes its
            // own.
            _ = lease.release()
            signals.release()
            // A stored failure is not refreshed.
            if old.exitCode == 0 { refreshInBackground() }
            return FetchedOutput(answer: old)
        }
        try place.warnIfShared(in: store, warn)
        let fetch = CachedFetch(
            action: self, flight: flight, store: store, lease: lease, signals: signals, old: old)
        return try fetch.run()
    }

    private func refreshInBackground() {
        guard fork_detached(-1, -1) == 1 else { return }
        var action = self
        action.isStaleWhileRefreshing = false
        exit(Skr.exitCode { () throws(CommandError) in try CommandError.translating(action.run) })
    }
}
