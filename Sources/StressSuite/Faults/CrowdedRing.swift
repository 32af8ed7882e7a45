import Glibc
import Keyutils

/// Thousands of keys in the leases' ring, for those who list them all the time.
///
/// The kernel lets nobody change a keyring while it is read, so that a lease that is given back in time may be gone late.
struct CrowdedRing: ~Copyable {
    private static let size = 8_000
    private let ring: Keyring
    private var crowd: [Key] = []

    /// - Returns: `nil` where the user's quota has no room for it.
    init?(_ ring: Keyring) {
        guard let quota = try? KeyQuota.current(), quota.keys + 2 * Self.size < quota.maximumKeys else { return nil }
        self.ring = ring
    }

    mutating func fill() throws(KeyringError) {
        let nothing: [UInt8] = [0]
        for number in 0..<Self.size {
            let name = "\(HostileNeighbor.name) crowd \(number)"
            crowd.append(try unsafe ring.add(.user, name, payload: nothing.span.bytes))
        }
    }

    func leave() throws(KeyringError) {
        for key in crowd { try ring.unlink(key) }
    }
}
