import Foundation
import Keyutils
import SessionKeyringTesting

/// What this kernel has, for tests that depend on it.
enum Capability {
    private static let all = (try? KeyringCapabilities.query()) ?? []

    static func has(_ capability: KeyringCapabilities) -> Bool { all.contains(capability) }

    /// Whether the kernel takes private keys; it has no flag for that, so one is offered to it.
    static let privateKeys: Bool = {
        do {
            let scratch = try ScratchKeyring()
            let key = TestCertificate.privateKey
            _ = try scratch.keyring.add(.asymmetric, "probe", key)
            return true
        } catch {
            return false
        }
    }()

    /// Whether this is the kernel lab: user-mode Linux, where a test may step the clock.
    static let isKernelLab =
        (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.contains("User Mode Linux") ?? false
}
