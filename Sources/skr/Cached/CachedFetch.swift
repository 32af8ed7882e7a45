import Glibc
import Keyutils
import SessionKeyring

/// One run of the command, by the one process that does it for all that ask.
struct CachedFetch {
    let request: CachedRequest
    let flight: SingleFlight
    let store: SecretStore
    let lease: any HeldLease
    /// What is good enough if this fails.
    let old: CachedAnswer?

    func run(holding signals: HeldSignals) throws(CommandError) -> Never {
        do throws(CommandError) {
            let (answer, end) = try capture(holding: signals)
            guard end.exitCode == 0 else { try finish(failed: answer, end) }
            try finish(answer)
        } catch {
            _ = lease.release()
            guard let old, error.exitCode != .tryAgain else { throw error }
            Console.report(error)
            try old.give()
        }
    }

    private func capture(holding signals: HeldSignals) throws(CommandError) -> (CachedAnswer, ChildEnd) {
        var pipe = try CapturedOutput()
        let input = try Self.input()
        defer { if input >= 0 { close(input) } }
        var child = try ChildCommand(
            request.command, input: input, output: pipe.writer, holding: signals,
            keeper: LeaseKeeper(lease, lasting: CachedAction.leaseDuration))
        pipe.closeWriter()
        let output = try pipe.readAll(from: &child)
        guard !CapturedOutput.isTooLarge(output) else {
            try passOn(output, rest: pipe, of: &child)
            throw CapturedOutput.tooLarge
        }
        let end = child.waitForEnd()
        return (CachedAnswer(exitCode: end.exitCode, output: HeldSecret(output)), end)
    }

    /// Those who wait would share a pipe, of which one takes what another needs; only a person answers when asked.
    private static func input() throws(CommandError) -> CInt {
        guard !Console.isInputTerminal else { return -1 }
        let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        // Where standard input is closed, this may be it already, and would close on exec.
        let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        close(descriptor)
        guard moved >= 0 else {
            throw CommandError(exitCode: .internalError, message: "can't open /dev/null", hint: nil)
        }
        return moved
    }

    /// More than can be kept: it goes to our caller alone.
    private func passOn(
        _ output: borrowing SecretBytes, rest pipe: borrowing CapturedOutput, of child: inout ChildCommand
    ) throws(CommandError) {
        let isWanted = old == nil
        if isWanted {
            _ = lease.release()
            try output.withBytes { bytes throws(CommandError) in try Console.write(bytes) }
        }
        try pipe.drain(from: &child, to: isWanted ? STDOUT_FILENO : nil)
        let end = child.waitForEnd()
        if isWanted, end.exitCode != 0 { end.leave() }
    }

    private func finish(failed answer: CachedAnswer, _ end: ChildEnd) throws(CommandError) -> Never {
        // Somebody who ended it by hand has not learnt that it fails.
        if old == nil, !end.isOurs, let timeout = request.failureTimeout, lease.timeLeft > .zero {
            do throws(SecretStoreError) {
                try answer.remember(for: timeout, as: request.item, in: store)
            } catch {
                // Its own failure matters more than that nobody will know of it.
                Console.report(CommandError(error))
            }
        }
        _ = lease.release()
        if let old, !end.isOurs { try old.give() }
        try answer.write()
        end.leave()
    }

    private func finish(_ answer: CachedAnswer) throws(CommandError) -> Never {
        let lifetime = try lifetime(of: answer)
        do throws(SecretStoreError) {
            try answer.output.bytes.withBytes { bytes throws(SecretStoreError) in
                try flight.keep(bytes, for: lifetime, under: lease)
            }
            _ = try store.delete(request.item.failureMark)
        } catch {
            _ = lease.release()
            // It could not be kept, but whoever asked shall have it.
            try answer.write()
            Console.report(CommandError(error))
            exit(CommandError(error).exitCode.rawValue)
        }
        _ = lease.release()
        try answer.give()
    }

    private func lifetime(of answer: CachedAnswer) throws(CommandError) -> Lifetime {
        var timeout = request.timeout
        if let path = request.lifetimePath {
            let stated = try answer.output.bytes.withBytes { bytes throws(CommandError) in
                try OutputLifetime.read(path, from: bytes)
            }
            timeout = min(timeout ?? stated, stated)
        }
        // What lives for less than that is due for a refresh from the start.
        let refreshBefore = request.refreshBefore.flatMap { before in timeout.flatMap { before < $0 ? before : nil } }
        do throws(SecretStoreError) {
            return try Lifetime(timeout: timeout, refreshBefore: refreshBefore, of: request.item)
        } catch {
            throw CommandError(error)
        }
    }
}
