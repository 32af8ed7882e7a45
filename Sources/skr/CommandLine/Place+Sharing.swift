import CommandSupport
import Glibc
import SessionKeyring

extension Place {
    /// Refuses a name that no item can have, and another user's session.
    func checkWrite(of item: ItemIdentity) throws(SecretStoreError) {
        if let problem = item.problem { throw SecretStoreError(.invalidName(problem, of: .item), item: item) }
        if let owner = try secretScope.foreignOwner() {
            throw SecretStoreError(.foreignSession(ownerID: owner), item: item)
        }
    }

    /// Warns that all of the user's processes without a session keyring can read the items stored here.
    ///
    /// It warns only if neither an option nor the environment names the scope. The check takes one system call.
    ///
    /// - Parameter warn: reports the warning, by default on standard error.
    func warnIfShared(
        in store: SecretStore, _ warn: (CommandError) -> Void = Console.warn
    ) throws(SecretStoreError) {
        guard scope == .session, !isScopeSaid, let user = try store.sharingUserID, user == geteuid() else { return }
        warn(
            CommandError(
                exitCode: .unavailable,
                message:
                    "no session keyring: all processes of user \(user) without a session can read what is stored here",
                hint: "start a session first with 'exec skr session', or store for all sessions with --scope user"))
    }
}
