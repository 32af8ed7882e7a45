import Keyutils

/// A way to join a new session keyring, in a process that was started for that purpose.
///
/// A join changes only the calling thread. The body of an exit test is declared async, but stays on one thread until
/// its first await.
package enum TestSession {
    @discardableResult
    package static func join() throws(KeyringError) -> Keyring {
        try SessionMembership.joinAnonymous()
    }
}
