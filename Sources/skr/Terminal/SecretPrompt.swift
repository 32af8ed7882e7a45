import CommandSupport
import Glibc
import Keyutils

/// Asks for a secret on the terminal without showing it, and leaves the terminal as it was, whatever interrupts.
enum SecretPrompt {
    /// A terminal hands over no more than this of a line, and drops the rest without a word.
    private static let limit = 4_095

    static func ask(_ prompt: String, allowsEmpty: Bool) throws(CommandError) -> SecretBytes {
        while true {
            // Stopped by ^Z and continued: what was typed by then is gone, so ask again.
            guard let answer = try askOnce(prompt) else { continue }
            guard answer.count < limit else {
                throw .usage(
                    "a terminal takes secrets of up to \(limit - 1) bytes", hint: "pipe it in: skr set ... < FILE"
                )
            }
            guard allowsEmpty || !answer.isEmpty else {
                throw .usage("no secret was typed", hint: "--allow-empty stores an empty one")
            }
            return answer
        }
    }

    private static func askOnce(_ prompt: String) throws(CommandError) -> SecretBytes? {
        guard let terminal = SilentTerminal.silence() else {
            throw .internalError(
                "can't ask for the secret: the terminal does not let us",
                hint: "pipe the secret in: printf %s \"$SECRET\" | skr set ...")
        }
        terminal.write(prompt)
        let answer = terminal.readLine(limit: limit)
        terminal.write("\n")
        // Of several lines that were pasted the first is not the secret, and the rest would go to the shell.
        let hasMore = terminal.dropPendingInput()
        switch terminal.restore() {
        case nil where hasMore && answer.count < limit:
            throw .usage(
                "more than one line was typed or pasted, and nothing was stored",
                hint: "pipe a secret of several lines in: skr set ... < FILE, or: cat | skr set ..., then ^D")
        case nil: return answer
        case let stop? where stop == SIGTSTP || stop == SIGTTIN || stop == SIGTTOU:
            raise(stop)
            return nil
        case let deadly?:
            // Die of it, and not in the runtime's crash handler. Where it is blocked, a half-typed secret is no secret.
            signal(deadly, SIG_DFL)
            raise(deadly)
            throw .internalError("interrupted", hint: nil)
        }
    }
}
