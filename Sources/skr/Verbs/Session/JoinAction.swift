import CommandSupport
import Glibc
import Keyutils

/// Moves the calling shell into a named session.
///
/// The command stands in files that a shell reads when it starts, so it must not make the shell end, or wait for
/// more than a second: each problem is one line, and the exit code is 0.
struct JoinAction {
    let name: String
    let linksUser: Bool

    func run() {
        do throws(CommandError) {
            try CommandError.translating(move)
        } catch {
            stay(": \(error.message)\(error.hint.map { "; \($0)" } ?? "")")
        }
    }

    private func move() throws {
        let parent = ParentProcess.current()
        // Until this process joins another session, its own is the shell's. It can be revoked.
        let former = try? Keyring.resolve(.sessionKeyring).serial
        let owner = try? Key(.sessionKeyring).describe().userID
        let session = try NamedSession(name)
        let ring: Keyring
        do {
            ring = try session.join()
        } catch let error as CommandError {
            let advice = "choose another name in the shell's start-up file; for this shell: \(call("NAME"))"
            return stay(": \(error.message); \(advice)")
        }
        if linksUser { try ring.link(Key(.userKeyring)) }
        guard ring.serial != former else { return }

        // The kernel moves the process that is our parent at that moment: if the shell has ended, that is its service
        // manager, for example.
        guard let parent, parent.id == getppid() else {
            return stay(", because /proc doesn't show it, or it has ended; use: \(call(name))")
        }
        guard parent.isShell else {
            let caller = Display.quoted(parent.name)
            return Console.warn(
                "nothing joined '\(name)': \(caller) called skr, which moves only shells; use: \(call(name))")
        }
        do throws(KeyringError) {
            try SessionMembership.giveToParent()
        } catch {
            let reason =
                if parent.threads > 1 {
                    "\(Display.quoted(parent.name)) runs several threads"
                } else if let owner, owner != geteuid() {
                    "user \(owner) owns that session"
                } else {
                    "the kernel refuses to move it: \(error.code)"
                }
            return stay(", because \(reason); use: \(call(name))")
        }
        if parent.isSubshell {
            Console.warn("only a subshell joined the session '\(name)'; for the shell, use: \(call(name))")
        }
    }

    private func stay(_ reason: String) { Console.warn("this shell stays in its session\(reason)") }

    private func call(_ name: String) -> String { "exec skr session" + Display.option("--name", name) }
}
