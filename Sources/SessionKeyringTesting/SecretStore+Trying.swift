package import SessionKeyring

extension SecretStore {
    /// Takes the lease with this name if nobody holds it; `nil` if somebody does.
    package nonisolated(nonsending) func tryLease(
        _ name: String, lasting duration: Duration = .seconds(10)
    ) async throws -> Lease? {
        do {
            return try await lease(name, lasting: duration, waiting: .zero)
        } catch let error as SecretStoreError where error.code == .leaseHeld {
            return nil
        }
    }

    /// Takes the lease with this name if nobody holds it, blocking the thread; `nil` if somebody holds it.
    @available(*, noasync, message: "blocks the thread; use 'await tryLease'")
    package func blockingTryLease(
        _ name: String, lasting duration: Duration = .seconds(10)
    ) throws(SecretStoreError) -> Lease? {
        do throws(SecretStoreError) {
            return try blockingLease(name, lasting: duration, waiting: .zero)
        } catch {
            guard error.code == .leaseHeld else { throw error }
            return nil
        }
    }
}
