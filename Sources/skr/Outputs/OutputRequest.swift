import CProcess
import CommandSupport
import Glibc
import Keyutils
import SecretText
import SessionKeyring
import SystemPackage

/// The rules for a command's output; each kind of caller of ``OutputRequest`` names its rules in one place.
struct OutputPolicy {
    /// Which stored outputs answer a request.
    enum Sameness {
        /// Only one of the same command line.
        case commandLine
        /// Any one with the item's name. An item of another kind with this name hides the output.
        case name
    }

    var sameness = Sameness.commandLine
    /// Whether the caller gets the output unchanged: also that of a failed command, or one that is too large to keep.
    var isUnchanged = false
    /// Whether warnings are printed; false for a client that reads standard error as a part of the answer.
    var warns = true
    /// Returns the hint if the output replaces another command's output.
    ///
    /// A function, because the text of an item's name costs more than all of a kept answer.
    var replacementHint: (ItemIdentity) -> String = { _ in "" }
    /// The hint if the command ran for longer than its limit.
    var limitHint = "if it needs longer, pass a longer --limit, such as --limit 10m"
    /// The exit code of a failure that isn't remembered, because only the user can change it; 0 for none.
    var forgottenExitCode: Int32 = 0
    /// The note on a terminal after a second of waiting for another process; empty for none.
    var waitingNote = ""
    /// Returns the output to keep and to answer, and how long it is kept.
    ///
    /// A time of zero or less means that the output is not kept. `nil` means that nothing ends it.
    ///
    /// The arguments are the printed bytes, and how long an output without an expiry is kept.
    let fresh: (SecretBox, Duration?) throws(CommandError) -> (Output, Duration?)
    /// Returns the answer from the kept output; `nil` if the output has to be fetched again.
    ///
    /// Any process in the session can have stored that output. The answer has its facts too. The second argument
    /// returns when the kept item ends.
    var kept: (_ output: Output, _ end: () -> Int64?) -> Output? = { output, _ in output }
}

/// A command whose output many can ask for: it is run once for all of them, and its output is kept.
///
/// If another process runs the command, this one waits for its output. A command is told which outputs are being
/// fetched (``FetchChain``), because one that asks for its own output would wait for itself.
struct OutputRequest {
    /// How long other processes wait for a process that has died while it was running the command.
    static let leaseDuration = Duration.seconds(10)

    let place: Place
    let item: ItemIdentity
    /// How long the output is kept; `nil` if only the output states its lifetime.
    let timeout: TimeoutArgument?
    var refreshBefore: Duration?
    var isStaleWhileRefreshing = false
    /// How long a failure is remembered; `nil` for not at all.
    var failureTimeout: Duration?
    var isForced = false
    /// How long the command can run; `nil` for as long as it wants.
    var limit: Duration?
    /// The command's working folder; empty for our own.
    var folder = ""
    /// The inherited variables that the command doesn't get.
    var removedVariables: [String] = []
    let command: CommandLineWords
    let policy: OutputPolicy

    /// How long to wait for the process that runs the command; a command that has to be killed exceeds its limit.
    var waitLimit: Duration { limit.map { $0 + CommandEnding.limitGrace * 2 } ?? .seconds(24 * 3_600) }

    /// Prints the output, and ends this process as the command ended.
    func run() throws -> Never { try fetched(in: try usualStore()).printAndExit() }

    /// Returns the kept output, or runs the command once for all processes that want its output.
    ///
    /// - Throws: ``CommandError``, or ``SecretStoreError``: `leaseHeld` if another process runs the command for too
    ///   long.
    func fetched(in store: SecretStore) throws -> FetchedOutput {
        // Most calls end here.
        if !isForced, refreshBefore == nil, let kept = try readKept(in: store) { return FetchedOutput(output: kept) }
        let settings = try settings(in: store)
        let flight = try SingleFlight(
            in: store.backend, item: item, leaseDuration: Self.leaseDuration,
            refreshBefore == nil ? .never : .due)
        var wait = Wait(upTo: waitLimit)
        var noteTime = policy.waitingNote.isEmpty ? nil : ContinuousClock.now + .seconds(1)
        var next = FetchTurn(of: flight, force: isForced)
        while true {
            // Signals are blocked before the lease is taken, so that no signal ends us without releasing it.
            var signals = BlockedSignals()
            let turn: SingleFlight.Turn<Output>
            do throws(SecretStoreError) {
                turn = try next.attempt(wait.effort) { () throws(SecretStoreError) in
                    try readKept(in: store).map { Found($0, $0.known) }
                }.get()
            } catch {
                next.releaseLease()
                signals.release()
                if let time = noteTime, time <= .now, Console.isErrorTerminal {
                    Console.note(policy.waitingNote)
                    noteTime = nil
                }
                if wait.sleep(after: error) { continue }
                if error.isLeaseHeld { throw SecretStoreError(.leaseHeld, item: item) }
                guard error.code.isLackOfRoom || error.code.isForeignSession else { throw error }
                warn(CommandError(notKeptBecause: error))
                signals = BlockedSignals()
                turn = .fetch(FetchLease.none, old: nil, isOldUsable: false)
            }
            switch turn {
            case .take(let output):
                signals.release()
                return FetchedOutput(output: output)
            case .fetch(let lease, let old, let isOldUsable):
                let old = isOldUsable ? old : nil
                if let old, old.exitCode != 0 || isStaleWhileRefreshing {
                    // A forked process doesn't hold its parent's lease, so the one that refreshes in the background
                    // takes its own.
                    _ = lease.release()
                    signals.release()
                    // A stored failure is not refreshed.
                    if old.exitCode == 0 { refreshInBackground() }
                    return FetchedOutput(output: old)
                }
                do throws(SecretStoreError) {
                    try place.warnIfShared(in: store, warn)
                } catch {
                    _ = lease.release()
                    signals.release()
                    throw error
                }
                let run = OutputRun(
                    request: self, settings: settings, flight: flight, store: store, lease: lease, signals: signals,
                    old: old)
                return try run.fetched()
            }
        }
    }

    /// Returns the surroundings of the command.
    ///
    /// - Parameter store: the store that keeps the output; `nil` for none.
    /// - Throws: ``CommandError`` with 65 if the output is already being fetched by one that waits for us.
    func settings(in store: SecretStore?) throws(CommandError) -> ChildSettings {
        var settings = ChildSettings(folder: folder, limit: limit)
        settings.environment.removed = removedVariables
        let chain = try FetchChain.adding(item, namespace: place.namespace, in: store)
        unsafe settings.environment.set(FetchChain.variable, to: chain.utf8Span.span.bytes)
        return settings
    }

    /// Reads the kept output; `nil` if there isn't one, or if the caller can't use it any more.
    private func readKept(in store: SecretStore) throws(SecretStoreError) -> Output? {
        guard let kept = try Output.read(item, of: command.hash, policy.sameness, in: store) else { return nil }
        return policy.kept(kept) {
            // An answer without an expiry is better than no answer.
            guard case .after(let left) = (try? store.attributes(of: item))?.expiry else { return nil }
            return Int64(time(nil)) + left.atLeast.components.seconds
        }
    }

    /// Reports a problem that did not make the command fail, if the caller reports such problems.
    func warn(_ error: CommandError) {
        if policy.warns { Console.warn(error) }
    }

    /// Returns the store that keeps outputs.
    ///
    /// If another user owns the session, that user could read the items, and could have forged them. A session that has
    /// ended can't be read. In both cases, no output is kept. For an unchanged output without a limit, this process
    /// replaces itself with the command. For another one, it uses a store that vanishes with this process.
    private func usualStore() throws -> SecretStore {
        var reason = ""
        var problem = SecretStoreError(.sessionRevoked)
        do throws(SecretStoreError) {
            guard let owner = try place.secretScope.foreignOwner() else { return try place.store() }
            problem = SecretStoreError(.foreignSession(ownerID: owner))
            reason = "the session belongs to user \(owner)"
        } catch {
            guard error.code == .sessionRevoked else { throw error }
        }
        let error = CommandError(problem)
        if reason.isEmpty { reason = error.message }
        warn(CommandError(exitCode: error.exitCode, message: "nothing is kept: \(reason)", hint: error.hint))
        if policy.isUnchanged, limit == nil {
            let environment = try settings(in: nil).environment
            if let input = try OutputRun.input() { _ = try input.duplicate(as: .standardInput) }
            try Launch.become(command, environment: environment)
        }
        return try SecretStore(.process, namespace: place.namespace)
    }

    private func refreshInBackground() {
        guard fork_detached(-1, -1) == 1 else { return }
        var request = self
        request.isStaleWhileRefreshing = false
        do {
            try request.run()
        } catch {
            // Nobody reads the standard error of this process. The next caller that refreshes gets the same error.
            exit(ExitCode.internalError.rawValue)
        }
    }
}

extension CommandWords {
    /// Returns the value of `--limit`: how long a command can run.
    mutating func limit(_ help: String) -> Duration? {
        let limit = duration("--limit", help)
        if let limit, !TimeoutArgument.after(limit).isPossible {
            fail("--limit must be 1 to 4294967295 seconds", hint: "write it as \(DurationText.forms)")
        }
        return limit
    }
}
