import CTestFilters
import Foundation
import Keyutils
import SessionKeyringTesting
import Testing

@Suite("The surroundings of a process")
struct SurroundingsTests {
    @Test(
        "only the identity map of all user ids means the machine's initial user namespace",
        arguments: [
            ("         0          0 4294967295\n", true), ("0 1000 1\n", false), ("0 0 1\n", false), ("", false),
            ("0 0 1000\n1000 1000 4294966295\n", false),
        ]
    )
    func userNamespace(map: String, expected: Bool) {
        #expect(UserNamespace.isIdentity(map: map) == expected)
    }

    @Test("the process status shows whether a seccomp filter is in force, if it has that line")
    func filterStatus() {
        #expect(KeyFacility.isFiltered(status: "NoNewPrivs:\t0\nSeccomp:\t0\nSeccomp_filters:\t0\n") == false)
        #expect(KeyFacility.isFiltered(status: "Seccomp:\t2\nSeccomp_filters:\t1\n") == true)
        #expect(KeyFacility.isFiltered(status: "Name:\tx\n") == nil)
    }

    @Test("the calls that a filter refuses are reported, and no others", .enabled(if: !Capability.isKernelLab))
    func refusals() async {
        await #expect(processExitsWith: .success) {
            #expect(KeyFacility.refusals().isEmpty)
            // Filters only add_key.
            guard test_filter_install(-2, EPERM) == 0 else { throw SetupFailure(step: "the filter was refused") }
            #expect(KeyFacility.refusals().map(\.call) == [.addKey])
            #expect(KeyFacility.refusals().map(\.error.code) == [.notPermitted])
            #expect(KeyFacility.isFiltered == true)
            guard test_filter_install(-1, ENOSYS) == 0 else { throw SetupFailure(step: "the filter was refused") }
            #expect(Set(KeyFacility.refusals().map(\.call)) == Set(KeyFacility.Call.allCases))
        }
    }

    @Test(
        "without /proc, the filter's state and the quota are unknown",
        .enabled(if: geteuid() == 0 && !Capability.isKernelLab, "needs root to change the root directory"))
    func noProc() async {
        await #expect(processExitsWith: .success) {
            guard chroot("/var/tmp") == 0, chdir("/") == 0 else { throw SetupFailure(step: "chroot") }
            #expect(KeyFacility.isFiltered == nil)
            #expect(throws: KeyringError.self) { try KeyQuota.current() }
        }
    }

    @Test("a keyring is possessed as long as a chain of the thread's keyrings leads to it")
    func possession() async {
        await #expect(processExitsWith: .success) { try followPossession() }
    }

    @Test("the key table finds a live keyring that no quota is charged for, by its exact name")
    func unchargedKeyring() {
        let table = KeyTable(
            parsing: """
                00000001 I------     1 perm 1f3f0000     0     0 user      ring: 1
                00000002 I------     1 expd 1f3f0000     0     0 keyring   ring: 1
                00000003 I------     1 perm 1f3f0000     0     0 keyring   ring.1: 1
                00000004 I------     1   2d 1f3f0000     0     0 keyring   _persistent.0: 2
                00000005 I--Q---     1   2d 1f3f0000     0     0 keyring   _persistent.0: 2

                """)
        #expect(table.unchargedKeyrings(named: "ring").isEmpty)
        #expect(table.unchargedKeyrings(named: "_persistent.0").map(\.serial.rawValue) == [4])
    }
}

private func followPossession() throws {
    let session = try SessionMembership.joinAnonymous()
    #expect(try session.isPossessed())
    // A search by the session's name would find this keyring first.
    let other = try Keyring.thread.addKeyring(Key(session).describe().name)
    #expect(try session.isPossessed())
    try Keyring.thread.unlink(Key(other))
    let outer = try session.addKeyring("possession-outer-\(getpid())")
    let inner = try outer.addKeyring("possession-inner-\(getpid())")
    #expect(try inner.isPossessed())
    // Without possession, describing the keyring requires the user's permissions.
    try Key(inner).setPermissions([.possessorAll, .userAll])
    try SessionMembership.joinAnonymous()
    let keeper = try Keyring.resolve(.userKeyring)
    try keeper.link(Key(inner))
    defer { try? keeper.unlink(Key(inner)) }
    #expect(try !inner.isPossessed())
    try Keyring.resolve(.sessionKeyring).link(Key(keeper))
    #expect(try inner.isPossessed())
}
