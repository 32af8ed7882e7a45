import CKeyutils
import Glibc

/// Looks up the session keyring, if necessary in a short-lived thread.
///
/// If a thread has no session keyring, the kernel installs the user's `_uid_ses.N` in the credentials of the thread
/// that looks for it. There it survives `setuid`, `fork` and `exec`: a process that becomes another user, or starts a
/// program that does, would pass on access to everything in that keyring. Only the lookup installs something. The other
/// calls find the keyring's contents by its serial from any thread.
///
/// A thread for each lookup would cost too much: if the caller has a thread keyring, the kernel gives the new thread
/// one too, whose quota comes back late.
enum SessionLookup {
    /// Returns the session keyring of the calling thread, whose credentials a new thread shares.
    ///
    /// - Throws: ``KeyringError`` with `EAGAIN` if no thread can be started, or the error of the lookup.
    static func run() throws(KeyringError) -> Keyring {
        if hasSession { return Keyring(KeySerial(rawValue: try serial(lookup()))) }
        var (all, before) = (sigset_t(), sigset_t())
        // The new thread inherits the mask, so it runs none of the process's signal handlers.
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        // Enough for a program with large thread-local variables, and not so much that the kernel uses a huge page.
        unsafe pthread_attr_setstacksize(&attributes, 256 << 10)
        var thread = pthread_t()
        let failure = unsafe pthread_create(
            &thread, &attributes,
            { _ in unsafe UnsafeMutableRawPointer(bitPattern: Int(SessionLookup.lookup())) }, nil)
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        guard failure == 0 else { throw KeyringError(errno: failure, in: .resolve) }
        var result: UnsafeMutableRawPointer?
        unsafe pthread_join(thread, &result)
        return Keyring(KeySerial(rawValue: try serial(CInt(truncatingIfNeeded: Int(bitPattern: result)))))
    }

    /// Whether the calling thread certainly has a session keyring, so that a lookup installs nothing.
    ///
    /// `request_key(2)` doesn't change the session. A login's session keyring has the name `_ses`. A thread without one
    /// searches the user's `_uid_ses.N` instead. There it can find another keyring named `_ses`, but it then also finds
    /// `_uid_ses.N` itself.
    private static var hasSession: Bool {
        guard unsafe request_key("keyring", "_ses", nil, 0) >= 0 else { return false }
        return unsafe request_key("keyring", "_uid_ses.\(getuid())", nil, 0) < 0 && errno == ENOKEY
    }

    /// Returns the serial, or the error's number, negated.
    private static func lookup() -> CInt {
        let serial = keyctl_get_keyring_ID(KEY_SPEC_SESSION_KEYRING, 0)
        return serial < 0 ? -errno : serial
    }

    private static func serial(_ result: CInt) throws(KeyringError) -> CInt {
        guard result > 0 else { throw KeyringError(errno: -result, in: .resolve) }
        return result
    }
}
