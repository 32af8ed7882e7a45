import Glibc

/// Keeps others from making a session of the same name between our making it and our opening it: there would be two.
///
/// The lock is on the executable, which all that do so have open. Where another holds it for long, or the file can't be
/// locked, the session matters more.
struct NamedSessionLock {
    private let descriptor: CInt

    init() {
        descriptor = unsafe open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
        for _ in 0..<1_000 where flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { return }
            usleep(1_000)
        }
    }

    func release() {
        close(descriptor)
    }
}
