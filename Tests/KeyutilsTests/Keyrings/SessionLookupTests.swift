import Glibc
import Keyutils
import Testing

/// In these tests, a user without a session keyring adds a key to its `_uid_ses.N`, and then becomes another user.
///
/// Only a thread that has `_uid_ses.N` as its session keyring can still read the key then.
@Suite("Looking up the session", .enabled(if: geteuid() == 0, "needs root to become other users"))
struct SessionLookupTests {
    @Test(
        "resolving the session leaves the thread's credentials unchanged; any other call with @s changes them",
        arguments: [true, false])
    func credentials(isResolved: Bool) async {
        await #expect(processExitsWith: .success) { [isResolved = isResolved as Bool] in
            guard let key = try keyWithoutSession(of: isResolved ? 60_132 : 60_133) else { return }
            if !isResolved { _ = try Key(.sessionKeyring).describe() }
            #expect(try key.bytes() == [1])
            OrdinaryUser.become(60_134)
            if isResolved {
                expectFailure(.accessDenied) { () throws(KeyringError) in _ = try key.bytes() }
            } else {
                #expect(try key.bytes() == [1])
            }
        }
    }

    @Test("a process that can't start a thread gets an error, and its credentials stay unchanged")
    func noThread() async {
        await #expect(processExitsWith: .success) {
            guard let key = try keyWithoutSession(of: 60_135) else { return }
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            guard setrlimit(CInt(__RLIMIT_NPROC.rawValue), &limit) == 0 else { throw SetupFailure(step: "setrlimit") }
            do throws(KeyringError) {
                _ = try Keyring.resolve(.sessionKeyring)
                Issue.record("a thread was started")
            } catch {
                #expect(error.errno == EAGAIN, "\(error)")
            }
            OrdinaryUser.become(60_134)
            expectFailure(.accessDenied) { () throws(KeyringError) in _ = try key.bytes() }
        }
    }

    @Test("resolving the session leaves the thread's signal mask unchanged")
    func signalMask() async {
        await #expect(processExitsWith: .success) {
            var (blocked, mask) = (sigset_t(), sigset_t())
            sigaddset(&blocked, SIGUSR1)
            pthread_sigmask(SIG_BLOCK, &blocked, &mask)
            sigaddset(&mask, SIGUSR1)
            _ = try Keyring.resolve(.sessionKeyring)
            pthread_sigmask(SIG_BLOCK, nil, &blocked)
            #expect((1...64).allSatisfy { sigismember(&blocked, $0) == sigismember(&mask, $0) })
        }
    }
}

/// Becomes this user, and returns a key in its keyring for processes without a session; `nil` in a session.
private func keyWithoutSession(of user: UInt32) throws -> Key? {
    OrdinaryUser.becomeForNow(user)
    let session = try Keyring.resolve(.sessionKeyring)
    guard try Key(session).describe().name == "_uid_ses.\(user)" else { return nil }
    let key = try session.add("key", [1])
    try key.setTimeout(KeyTimeout(.seconds(60)))
    return key
}
