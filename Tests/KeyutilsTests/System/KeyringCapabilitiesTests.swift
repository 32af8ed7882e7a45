import Keyutils
import Testing

@Suite("Capabilities")
struct KeyringCapabilitiesTests {
    @Test("a kernel that reports its capabilities can also move, invalidate and restrict")
    func query() throws {
        let capabilities = try KeyringCapabilities.query()
        // Linux 5.3 is the first version that reports capabilities, and since then every kernel has all of these.
        #expect(capabilities.isSuperset(of: [.capabilities, .invalidate, .restrictKeyring, .move]))
    }

    @Test("the flags are the two bytes of keyutils.h, with the first byte as the lowest")
    func flags() {
        let all: [KeyringCapabilities] = [
            .capabilities, .persistentKeyrings, .diffieHellman, .publicKey, .bigKey, .invalidate, .restrictKeyring,
            .move, .namespacedKeyringNames, .namespaceTags, .notifications,
        ]
        let bits: [UInt16] = [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x100, 0x200, 0x400]
        #expect(all.map(\.rawValue) == bits)
    }
}
