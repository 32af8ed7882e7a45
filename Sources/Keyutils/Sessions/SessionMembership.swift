import CKeyutils

/// Calls that change a thread's session keyring.
///
/// Credentials are **per thread**: these calls change only the calling thread, and threads that it starts later
/// inherit the change. Join before any other thread exists. The calls are unavailable in async code, which
/// moves between threads.
public enum SessionMembership {
    /// Joins a new, anonymous session keyring, leaving the old one.
    ///
    /// - Throws: ``KeyringError`` with `quotaExceeded`, `notPermitted` or `unavailable`.
    ///
    /// The corresponding C function is `keyctl_join_session_keyring(3)` without a name.
    @available(*, noasync, message: "changes the calling thread only; async code does not stay on one thread")
    @discardableResult
    public static func joinAnonymous() throws(KeyringError) -> Keyring {
        let serial = try systemCall(.joinSession) { keyctl_join_session_keyring(nil) }
        return Keyring(KeySerial(rawValue: serial))
    }

    /// Joins the session keyring of that name, creating it if it doesn't exist.
    ///
    /// A process can join an existing session if the session's permissions grant it *search* without possession. A new
    /// session grants this to nobody. If you grant it to the session's user, all of the user's sessions can join, and
    /// the session hides nothing from them.
    ///
    /// - Throws: ``KeyringError`` with `accessDenied`, `quotaExceeded`, `notPermitted`, `unavailable`, or
    ///   `invalidArgument` for an empty name or one with a NUL.
    ///
    /// The corresponding C function is `keyctl_join_session_keyring(3)`.
    @available(*, noasync, message: "changes the calling thread only; async code does not stay on one thread")
    @discardableResult
    public static func join(named name: String) throws(KeyringError) -> Keyring {
        let serial = try unsafe withKernelName(name, in: .joinSession) { name throws(KeyringError) in
            try systemCall(.joinSession) { unsafe keyctl_join_session_keyring(name) }
        }
        // If the thread is already in that session, the kernel does not return its serial.
        return serial == 0 ? try Keyring.resolve(.sessionKeyring) : Keyring(KeySerial(rawValue: serial))
    }

    /// Makes the calling thread's session keyring the parent process's session keyring.
    ///
    /// The change takes effect when the parent next returns to user space. The parent must be single-threaded
    /// and have the same user.
    ///
    /// - Throws: ``KeyringError`` with `notPermitted` if the parent does not meet these conditions.
    ///
    /// The corresponding C function is `keyctl_session_to_parent(3)`.
    @available(*, noasync, message: "hands over the calling thread's session; async code does not stay on one thread")
    public static func giveToParent() throws(KeyringError) {
        try systemCall(.sessionToParent) { keyctl_session_to_parent() }
    }
}
