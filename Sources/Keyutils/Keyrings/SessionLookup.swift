import CKeyutils
import Glibc

/// Looks up the session keyring in a thread that then ends.
///
/// If a thread has no session keyring, the kernel installs the user's `_uid_ses.N` in the credentials of the thread that
/// looks for it. There it survives `setuid`, `fork` and `exec`: a process that becomes another user, or starts a program
/// that does, would pass on access to everything in that keyring. Only the lookup installs something. The other calls
/// find the keyring's contents by its serial from any thread.
enum SessionLookup {
    /// Returns the session keyring of the calling thread, whose credentials a new thread shares.
    ///
    /// If no thread can be started, this throws an error. It never looks up the keyring in the calling thread.
    static func run() throws(KeyringError) -> Keyring {
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
            { _ in
                let serial = keyctl_get_keyring_ID(KEY_SPEC_SESSION_KEYRING, 0)
                return unsafe UnsafeMutableRawPointer(bitPattern: Int(serial < 0 ? -errno : serial))
            }, nil)
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        guard failure == 0 else { throw KeyringError(errno: failure, in: .resolve) }
        var result: UnsafeMutableRawPointer?
        unsafe pthread_join(thread, &result)
        let serial = CInt(truncatingIfNeeded: Int(bitPattern: result))
        guard serial > 0 else { throw KeyringError(errno: -serial, in: .resolve) }
        return Keyring(KeySerial(rawValue: serial))
    }
}
