import Keyutils
import Testing

@Suite("Capabilities")
struct KeyringCapabilitiesTests {
    @Test("a kernel that answers says that it can, and that it can move and invalidate")
    func query() throws {
        let capabilities = try KeyringCapabilities.query()
        // All of these are part of the facility itself since Linux 5.3, the first that answers.
        #expect(capabilities.isSuperset(of: [.capabilities, .invalidate, .restrictKeyring, .move]))
    }

    @Test("the flags are two bytes of keyutils.h, the first one lowest")
    func flags() {
        let all: [KeyringCapabilities] = [
            .capabilities, .persistentKeyrings, .diffieHellman, .publicKey, .bigKey, .invalidate, .restrictKeyring,
            .move, .namespacedKeyringNames, .namespaceTags, .notifications,
        ]
        #expect(all.map(\.rawValue) == (0..<11).map { UInt16(1) << $0 })
    }
}
