import Foundation
import Keyutils
import SessionKeyringTesting

/// The features of this kernel, for tests that depend on them.
enum Capability {
    private static let all = (try? KeyringCapabilities.query()) ?? []

    static func has(_ capability: KeyringCapabilities) -> Bool { all.contains(capability) }

    /// Whether the kernel accepts private keys.
    ///
    /// The kernel has no flag for this, so the test adds one to find out.
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
