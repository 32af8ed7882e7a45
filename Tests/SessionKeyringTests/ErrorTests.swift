import Glibc
import Keyutils
import SessionKeyring
import Testing

@Suite("The store's errors")
struct ErrorTests {
    private static let item = ItemIdentity.password(service: "api")

    @Test("two are equal if code, item and error number are, whichever call failed and however full the quota was")
    func equality() throws {
        let quota = try KeyQuota.current()
        let one = SecretStoreError(.quotaExceeded, item: Self.item, underlying: KeyringError(errno: EDQUOT, in: .add))
        let same = SecretStoreError(
            .quotaExceeded, item: Self.item, underlying: KeyringError(errno: EDQUOT, in: .move), quota: quota)
        #expect(one == same)
        #expect(Set([one, same]).count == 1)
        for other in [
            SecretStoreError(.contended, item: Self.item, underlying: one.underlying),
            SecretStoreError(.quotaExceeded, underlying: one.underlying),
            SecretStoreError(.quotaExceeded, item: Self.item, underlying: KeyringError(errno: ENOMEM, in: .add)),
            SecretStoreError(.quotaExceeded, item: Self.item),
        ] { #expect(one != other) }
    }

    @Test("a full quota is told with its figures, where the kernel tells them")
    func quota() throws {
        let quota = try KeyQuota.current()
        let error = SecretStoreError(.quotaExceeded, item: Self.item, quota: quota)
        #expect(
            "\(error)".hasPrefix("password:api:: the user's key quota is full: \(quota.keys) of \(quota.maximumKeys)"))
        #expect("\(SecretStoreError(.quotaExceeded))" == "the user's key quota is full")
    }

    @Test("a switch that a new code would break is refused outside of the package")
    func nonexhaustive() throws {
        func program(_ last: String) -> String {
            """
            import SessionKeyring
            func isMissing(_ problem: ItemIdentity.NameProblem) -> Bool {
                switch problem {
                case .empty: true
                case .tooLong: false
                \(last)
                }
            }
            """
        }
        #expect(try TypeCheck.messages(about: program("@unknown default: false")).isEmpty)
        #expect(
            try TypeCheck.messages(about: program("")).contains { $0.contains("may have additional unknown values") })
    }
}
