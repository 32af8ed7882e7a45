import CommandSupport
import Glibc
import Keyutils

/// Asks for a secret on the terminal without showing it.
///
/// It restores the terminal's settings, whatever interrupts the prompt.
enum SecretPrompt {
    /// The most bytes of a line that a terminal passes on; it drops the rest without an error.
    private static let limit = 4_095

    static func ask(_ prompt: String, allowsEmpty: Bool) throws(CommandError) -> SecretBytes {
        while true {
            // The process was stopped by ^Z and continued. The text that was typed before is lost, so ask again.
            guard let answer = try askOnce(prompt) else { continue }
            guard answer.count < limit else {
                throw .usage(
                    "the secret has more than \(limit - 1) bytes, which is the limit of a terminal's line",
                    hint: "pipe it in: skr set ... < FILE")
            }
            guard allowsEmpty || !answer.isEmpty else {
                throw .usage("no secret was typed", hint: "to store an empty secret, add --allow-empty")
            }
            return answer
        }
    }

    private static func askOnce(_ prompt: String) throws(CommandError) -> SecretBytes? {
        guard let terminal = SilentTerminal.silence() else {
            throw .internalError(
                "can't ask for the secret: can't open the terminal or turn off its echo",
                hint: "pipe the secret in: printf %s \"$SECRET\" | skr set ...")
        }
        terminal.write(prompt)
        let answer = terminal.readLine(limit: limit)
        terminal.write("\n")
        // If several lines were pasted, the first one is not the secret, and the shell would read the others.
        let hasMore = terminal.dropPendingInput()
        switch terminal.restore() {
        case nil where hasMore && answer.count < limit:
            throw .usage(
                "more than one line was typed or pasted; nothing was stored",
                hint: "pipe in a secret of several lines: skr set ... < FILE; or: cat | skr set ..., then Ctrl-D")
        case nil: return answer
        case let stop? where stop == SIGTSTP || stop == SIGTTIN || stop == SIGTTOU:
            raise(stop)
            return nil
        case let deadly?:
            // End by this signal, and not in the runtime's crash handler. If the signal is blocked, throw: a half-typed
            // secret must not be used.
            signal(deadly, SIG_DFL)
            raise(deadly)
            throw .internalError("interrupted", hint: nil)
        }
    }
}
