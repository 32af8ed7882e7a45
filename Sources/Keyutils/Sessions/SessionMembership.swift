import CKeyutils

/// Changing which session keyring a thread has.
///
/// Credentials are **per thread**: these calls change the calling thread alone, and threads that it starts later inherit
/// the change. Join before any other thread exists. From async code, which moves between threads, they are unavailable.
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

    /// Joins the session keyring of that name, creating it where there is none.
    ///
    /// A named session can be joined by every process that has *search* permission on it without possessing it. A new one
    /// gives nobody that; where its user has it, all of the user's sessions can join, and it hides nothing from them.
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
        // It tells no serial of the one that the thread is in already.
        return serial == 0 ? try Keyring.resolve(.sessionKeyring) : Keyring(KeySerial(rawValue: serial))
    }

    /// Gives the parent process the calling thread's session keyring, when it next returns to user space.
    ///
    /// The parent must be single-threaded and have the same user.
    ///
    /// - Throws: ``KeyringError`` with `notPermitted` where the parent does not qualify.
    ///
    /// The corresponding C function is `keyctl_session_to_parent(3)`.
    @available(*, noasync, message: "hands over the calling thread's session; async code does not stay on one thread")
    public static func giveToParent() throws(KeyringError) {
        try systemCall(.sessionToParent) { keyctl_session_to_parent() }
    }
}
