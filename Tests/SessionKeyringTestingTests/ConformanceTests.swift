import Glibc
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import TestSupport
import Testing

@Suite("Every backend passes the conformance suite", .tags(.threads))
struct ConformanceTests {
    @Test("the kernel keyring passes", arguments: BackendConformance.checks)
    func kernel(_ check: BackendConformance.Check) async throws {
        let scratch = try ScratchKeyring()
        try await check.run(on: scratch.store())
    }

    @Test("a kernel keyring that is open to the owner's other processes passes", arguments: BackendConformance.checks)
    func kernelForOwner(_ check: BackendConformance.Check) async throws {
        let scratch = try ScratchKeyring()
        try await check.run(on: SecretStore(.keyring(scratch.keyring.serial, isOpenToOwner: true)))
    }

    @Test(
        "the kernel keyring of an ordinary user passes", .tags(.root), .enabled(if: isRoot),
        arguments: BackendConformance.checks.indices)
    func ordinaryUser(_ number: Int) async {
        await #expect(processExitsWith: .exitCode(0)) { [number = number as Int] in
            // Each check has its own user, because the kernel frees quota late.
            let session = try OrdinaryUser.becomeInNewSession(60_300 + UInt32(number))
            // Tasks run on threads that have another session keyring.
            try Key(session).setPermissions([.possessorAll, .userAll])
            try await BackendConformance.checks[number].run(
                on: SecretStore(.keyring(session.serial, isOpenToOwner: true)))
            exit(0)
        }
    }

    @Test("the in-memory backend passes", arguments: BackendConformance.checks)
    func memory(_ check: BackendConformance.Check) async throws {
        try await check.run(on: SecretStore(backend: InMemoryBackend()))
    }
}
