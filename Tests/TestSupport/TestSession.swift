import Keyutils

/// Joining a session of its own, in a process that was started for it.
///
/// The body of an exit test is async in name, but stays on one thread until it first awaits.
package enum TestSession {
    @discardableResult
    package static func join() throws(KeyringError) -> Keyring {
        try SessionMembership.joinAnonymous()
    }
}
