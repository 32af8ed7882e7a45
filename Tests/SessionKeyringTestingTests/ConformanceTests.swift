import SessionKeyring
import SessionKeyringTesting
import Testing

@Suite("Every backend does what a backend must")
struct ConformanceTests {
    @Test("the kernel keyring", arguments: BackendConformance.checks)
    func kernel(_ check: BackendConformance.Check) async throws {
        let scratch = try ScratchKeyring()
        try await check.run(on: scratch.store())
    }

    @Test("the kernel keyring, open to the owner's other processes", arguments: BackendConformance.checks)
    func kernelForOwner(_ check: BackendConformance.Check) async throws {
        let scratch = try ScratchKeyring()
        try await check.run(on: SecretStore(.keyring(scratch.keyring.serial, isOpenToOwner: true)))
    }

    @Test("memory", arguments: BackendConformance.checks)
    func memory(_ check: BackendConformance.Check) async throws {
        try await check.run(on: SecretStore(backend: InMemoryBackend()))
    }
}
