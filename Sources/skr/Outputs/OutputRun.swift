import CommandSupport
import Keyutils
import SecretText
import SessionKeyring
import SystemPackage

/// One run of a command, by one process for all processes that want its output.
struct OutputRun {
    let request: OutputRequest
    let settings: ChildSettings
    let flight: SingleFlight
    let store: SecretStore
    let lease: FetchLease
    let signals: BlockedSignals
    /// The earlier output, which is the answer if this run fails; `nil` if there isn't one.
    let old: Output?

    private var item: ItemIdentity { request.item }
    private var policy: OutputPolicy { request.policy }

    func fetched() throws(CommandError) -> FetchedOutput {
        var output: Output?
        let end: ChildEnd
        var lifetime: RunningLifetime?
        do throws(CommandError) {
            (output, end) = try capture()
            if end.isOverdue { throw overdue }
            if let printed = output, end.exitCode == 0 { (output, lifetime) = try read(printed.bytes) }
        } catch {
            // A failure is repeated without its message. So the errors of skr itself are remembered only for callers
            // that report failures themselves, except that of a command that ran for too long.
            if !policy.isUnchanged || error == overdue { remember(.failure(error.exitCode.rawValue)) }
            release()
            guard let old else { throw error }
            Console.report(error)
            return FetchedOutput(output: old)
        }
        guard let output else {
            request.warn(CapturedOutput.tooLarge)
            return FetchedOutput(output: nil, end: end)
        }
        defer { release() }
        guard end.exitCode == 0 else { return finish(failed: output, end) }
        guard let lifetime else {
            request.warn(CommandError(notKept: item, because: "it ends too soon"))
            return FetchedOutput(output: output)
        }
        return FetchedOutput(output: output, problem: keep(output, for: lifetime))
    }

    /// Releases the lease, so that others can continue, and lets signals end us again.
    private func release() {
        _ = lease.release()
        signals.release()
    }

    /// Runs the command and returns its output; `nil` if it was too large to keep and was passed on directly.
    private func capture() throws(CommandError) -> (Output?, ChildEnd) {
        let input = try Self.input()
        defer { try? input?.close() }
        var run = try CapturedOutput(
            of: request.command, settings, input: input, holding: signals,
            renewer: LeaseRenewer(lease, lasting: OutputRequest.leaseDuration))
        let output = try run.readAll()
        guard CapturedOutput.isTooLarge(output) else {
            let end = run.waitForEnd()
            // In another form, the output of a failed command is neither answered nor kept.
            let isUsed = end.exitCode == 0 || policy.isUnchanged
            return (isUsed ? Output(exitCode: end.exitCode, SecretBox(output)) : .failure(end.exitCode), end)
        }
        guard old == nil, policy.isUnchanged else {
            try run.drain()
            let end = run.waitForEnd()
            if end.isInterrupted, !end.isOverdue { return (.failure(end.exitCode), end) }
            throw end.isOverdue ? overdue : CapturedOutput.tooLarge
        }
        // Others don't have to wait any longer. Signals stay blocked, so that they are forwarded to the command.
        _ = lease.release()
        try run.passOn(output)
        return (nil, run.waitForEnd())
    }

    /// Opens the command's standard input: `/dev/null`, or `nil` for our own if that is a terminal.
    ///
    /// It is a matter of chance which of several processes runs the command, so the command must not read the pipe
    /// of one of them.
    static func input() throws(CommandError) -> FileDescriptor? {
        guard !Console.isInputTerminal else { return nil }
        do throws(Errno) {
            // If standard input is closed, the file could get descriptor 0, and exec would close it: use a higher one.
            return try FileDescriptor.openNothing()
        } catch {
            throw .internalError("can't open /dev/null: \(error.reason)", hint: nil)
        }
    }

    private var overdue: CommandError {
        let limit = request.limit.map { DurationText.rounded($0) } ?? ""
        return CommandError(
            exitCode: .tryAgain, message: "\(Display.quoted(request.command.lossyFirst)) ran for more than \(limit)",
            hint: policy.limitHint)
    }

    /// Returns the answer after the command has failed, and remembers the failure.
    private func finish(failed output: Output, _ end: ChildEnd) -> FetchedOutput {
        // A command that ended because of a signal that we received too, as with ^C, does not count as failed.
        if end.isInterrupted || end.isOurs { return FetchedOutput(output: output, end: end) }
        guard let old else {
            if output.exitCode != policy.forgottenExitCode { remember(output) }
            return FetchedOutput(output: output, end: end)
        }
        return FetchedOutput(output: old)
    }

    private func remember(_ failure: Output) {
        guard let timeout = request.failureTimeout, lease.timeLeft > .zero else { return }
        do throws(SecretStoreError) {
            try failure.remember(for: timeout, as: item, of: request.command.hash, in: store)
        } catch {
            // The command's failure is reported in any case.
            request.warn(CommandError(error))
        }
    }

    /// Keeps the output.
    ///
    /// - Returns: the error if the output could not be kept, although nothing unusual prevents it.
    private func keep(_ output: Output, for lifetime: RunningLifetime) -> CommandError? {
        do throws(SecretStoreError) {
            if policy.sameness == .name, try store.hasSecret(of: item) {
                request.warn(CommandError(notKept: item, because: "an item with this name was stored meanwhile"))
                return nil
            }
            let command: UInt64? = policy.sameness == .commandLine ? request.command.hash : nil
            var replacesAnother = false
            if let command { replacesAnother = try Output.isOfAnother(than: command, item, in: store) }
            let hasFacts = try output.bytes.bytes.withBytes { bytes throws(SecretStoreError) in
                try flight.keep(bytes, for: lifetime, under: lease, of: command)
            }
            // Without a lease, a warning has been printed already.
            if lease !== FetchLease.none, try !store.contains(item) {
                request.warn(CommandError(notKept: item, because: "deleted during the fetch"))
            } else if !hasFacts {
                request.warn(
                    CommandError(
                        exitCode: .tryAgain,
                        message: "the output is stored without its age and the hash of its command",
                        hint: "nothing to do: the next call runs CMD again"))
            } else if replacesAnother, try Output.read(item, of: request.command.hash, in: store) != nil {
                request.warn(
                    CommandError(
                        exitCode: .data,
                        message:
                            "'\(Display.name(of: item))' held the output of another command; this output replaces it",
                        hint: policy.replacementHint(item)))
            }
        } catch {
            // The caller gets the output even if it can't be kept.
            guard error.code.allowsUnkeptOutput else { return CommandError(error) }
            request.warn(CommandError(notKeptBecause: error))
            return nil
        }
        do throws(SecretStoreError) {
            _ = try store.delete(item.failure)
        } catch {
            // The old failure remains, so callers can get it again when the output has expired.
            request.warn(CommandError(error))
        }
        return nil
    }

    /// Returns the output to keep and to answer, and how long it is kept; `nil` for not at all.
    private func read(_ printed: SecretBox) throws(CommandError) -> (Output, RunningLifetime?) {
        let (output, end) = try policy.fresh(printed, request.timeout?.duration)
        let timeout = [request.timeout?.duration, end].compactMap(\.self).min()
        guard timeout.map({ $0 > .zero }) ?? true else { return (output, nil) }
        return (
            output,
            try CommandError.translating {
                try RunningLifetime(
                    timeout: timeout, refreshBefore: timeout == nil ? nil : request.refreshBefore, of: item)
            }
        )
    }
}
