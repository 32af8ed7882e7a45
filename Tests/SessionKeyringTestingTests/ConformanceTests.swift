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

    @Test("the in-memory backend passes", arguments: BackendConformance.checks)
    func memory(_ check: BackendConformance.Check) async throws {
        try await check.run(on: SecretStore(backend: InMemoryBackend()))
    }
}
