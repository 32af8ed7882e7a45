import CommandSupport
import Keyutils
import SecretText
import SessionKeyring
import SystemPackage

/// One run of the command, by one process for all processes that want its output.
struct CachedFetch {
    let action: CachedAction
    let flight: SingleFlight
    let store: SecretStore
    let lease: FetchLease
    let signals: BlockedSignals
    /// The earlier output, which is printed if this run fails; `nil` if there isn't one.
    let old: CachedAnswer?

    func run() throws(CommandError) -> FetchedOutput {
        var captured: CachedAnswer?
        let end: ChildEnd
        var lifetime: RunningLifetime?
        do throws(CommandError) {
            (captured, end) = try capture()
            if let output = captured, end.exitCode == 0 { (captured, lifetime) = try read(output) }
        } catch {
            if !action.isOfOneCommand { remember(error) }
            release()
            guard let old else { throw error }
            Console.report(error)
            return FetchedOutput(answer: old)
        }
        guard let answer = captured else {
            action.warn(CapturedOutput.tooLarge)
            return FetchedOutput(answer: nil, end: end)
        }
        defer { release() }
        guard end.exitCode == 0 else { return finish(failed: answer, end) }
        return FetchedOutput(answer: answer, problem: lifetime.flatMap { keep(answer, for: $0) })
    }

    /// Releases the lease, so that others can continue, and lets signals end us again.
    private func release() {
        _ = lease.release()
        signals.release()
    }

    /// Runs the command and returns its output; `nil` if it was too large to keep and was passed on directly.
    private func capture() throws(CommandError) -> (CachedAnswer?, ChildEnd) {
        var pipe = try CapturedOutput()
        let input = try Self.input()
        defer { try? input?.close() }
        var child = try ChildCommand(
            action.command, action.form?.settings ?? ChildSettings(), input: input, output: pipe.writer,
            holding: signals,
            renewer: LeaseRenewer(lease, lasting: CachedAction.leaseDuration))
        pipe.closeWriter()
        let output = try pipe.readAll(from: &child)
        guard !CapturedOutput.isTooLarge(output) else {
            guard old == nil, action.form == nil else {
                try pipe.drain(from: &child, toCaller: false)
                _ = child.waitForEnd()
                throw CapturedOutput.tooLarge
            }
            return (nil, try handOver(output, rest: pipe, of: &child))
        }
        let end = child.waitForEnd()
        // For another form, the output of a failed command is neither printed nor kept.
        guard end.exitCode == 0 || action.form == nil else {
            return (CachedAnswer(exitCode: end.exitCode, output: SecretBox(copying: RawSpan())), end)
        }
        return (CachedAnswer(exitCode: end.exitCode, output: SecretBox(output)), end)
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

    /// Passes on an output that is too large to keep.
    private func handOver(
        _ output: borrowing SecretBytes, rest pipe: borrowing CapturedOutput, of child: inout ChildCommand
    ) throws(CommandError) -> ChildEnd {
        // Others don't have to wait any longer. Signals stay blocked, so that they are forwarded to the command.
        _ = lease.release()
        try output.withBytes { bytes throws(CommandError) in try Console.write(bytes) }
        try pipe.drain(from: &child, toCaller: true)
        return child.waitForEnd()
    }

    /// Remembers the failure of the command.
    private func finish(failed answer: CachedAnswer, _ end: ChildEnd) -> FetchedOutput {
        // A command that ended by a signal that we received too, as with ^C, does not count as failed.
        let isOurs = end.isOurs || !action.isOfOneCommand && end.isInterrupted
        if old == nil, !isOurs { remember(failed: answer) }
        if let old, !isOurs { return FetchedOutput(answer: old) }
        return FetchedOutput(answer: answer, end: end)
    }

    private func remember(failed answer: CachedAnswer) {
        guard let timeout = action.failureTimeout, lease.timeLeft > .zero else { return }
        do throws(SecretStoreError) {
            try answer.remember(for: timeout, as: action.item, of: action.command.hash, in: store)
        } catch {
            // The command's failure is reported in any case.
            action.warn(CommandError(error))
        }
    }

    /// Remembers that the command could not be run, or that its output can't be used.
    private func remember(_ error: CommandError) {
        remember(failed: CachedAnswer(exitCode: error.exitCode.rawValue, output: SecretBox(copying: RawSpan())))
    }

    /// Keeps the output.
    ///
    /// - Returns: the error if the output could not be kept, although nothing unusual prevents it.
    private func keep(_ answer: CachedAnswer, for lifetime: RunningLifetime) -> CommandError? {
        do throws(SecretStoreError) {
            // An item of another kind that was stored during the fetch hides the source.
            if !action.isOfOneCommand, try store.hasSecret(of: action.item) { return nil }
            let command = action.command.hash
            let replacesAnother =
                action.isOfOneCommand
                ? try CachedAnswer.isOfAnother(than: command, action.item, in: store) : false
            let hasFacts = try answer.output.bytes.withBytes { bytes throws(SecretStoreError) in
                try flight.keep(bytes, for: lifetime, under: lease, of: action.isOfOneCommand ? command : nil)
            }
            if replacesAnother, try CachedAnswer.read(action.item, of: command, in: store) != nil {
                action.warn(action.otherCommand)
            }
            if !hasFacts {
                action.warn(
                    CommandError(
                        exitCode: .tryAgain,
                        message: "the output is stored without its age and the hash of its command",
                        hint: "nothing to do: the next call runs CMD again"))
            }
            if !action.isOfOneCommand, lease !== FetchLease.none, try !store.contains(action.item) {
                action.warn(
                    CommandError(
                        exitCode: .tryAgain,
                        message: "\(Display.name(of: action.item)): deleted during the fetch; the output is not kept",
                        hint: "nothing to do: the next reader runs the command again"))
            }
        } catch {
            // The caller gets the output even if it can't be kept.
            guard error.code.allowsUnkeptOutput || !action.isOfOneCommand else { return CommandError(error) }
            action.warn(CommandError(notKeptBecause: error))
            return nil
        }
        do throws(SecretStoreError) {
            _ = try store.delete(action.item.failure)
        } catch {
            // The old failure remains, so callers can get it again when the output has expired.
            action.warn(CommandError(error))
        }
        return nil
    }

    /// Returns the output to keep and to print, and how long it is kept; `nil` for not at all.
    private func read(_ output: CachedAnswer) throws(CommandError) -> (CachedAnswer, RunningLifetime?) {
        guard let form = action.form else {
            let (timeout, path) = (action.timeout?.duration, action.lifetimePath)
            return (output, try lifetime(OutputLifetime.limit(timeout, by: path, of: output.output)))
        }
        let (answer, end) = try form.answer(fresh: output, keptFor: action.timeout?.duration)
        let timeout = [action.timeout?.duration, end].compactMap(\.self).min()
        guard timeout.map({ $0 > .zero }) ?? true else { return (answer, nil) }
        return (answer, try lifetime(timeout))
    }

    private func lifetime(_ timeout: Duration?) throws(CommandError) -> RunningLifetime {
        try CommandError.translating {
            try RunningLifetime(
                timeout: timeout, refreshBefore: timeout == nil ? nil : action.refreshBefore, of: action.item)
        }
    }
}
