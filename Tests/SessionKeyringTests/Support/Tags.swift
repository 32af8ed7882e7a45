import Glibc
import Testing

extension Tag {
    /// Uses the real kernel keyring.
    @Tag static var kernel: Self
    /// Runs long, with many threads or processes.
    @Tag static var stress: Self
    /// Runs a process as an ordinary user, with that user's small quota.
    @Tag static var ordinaryUser: Self
}

/// Root has room for 25 MB of keys, and may become other users; an ordinary user has 20,000 bytes.
let isRoot = geteuid() == 0
