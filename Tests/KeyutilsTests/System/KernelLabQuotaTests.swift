import Foundation
import Keyutils
import SessionKeyringTesting
import Testing

/// Runs only in the lab, because the owner gets the lost quota back only when all of its keys are gone.
@Suite("The lab's quota", .enabled(if: Capability.isKernelLab))
struct KernelLabQuotaTests {
    @Test("clearing 16,384 links loses 65,536 bytes of the owner's quota; clearing 16,383 loses none")
    func clearing() throws {
        #expect(try loss(ofOwner: 60_160, count: 16_383) { ring, _ throws(KeyringError) in try ring.clear() } == 0)
        #expect(try loss(ofOwner: 60_161, count: 16_384) { ring, _ throws(KeyringError) in try ring.clear() } == 65_536)
    }

    @Test("unlinking 16,384 keys one by one loses no quota")
    func unlinking() throws {
        let lost = try loss(ofOwner: 60_162, count: 16_384) { ring, keys throws(KeyringError) in
            for key in keys { try ring.unlink(key) }
        }
        #expect(lost == 0)
    }

    /// Returns how many bytes remain charged after `count` links were made in a ring of `owner` and removed again.
    ///
    /// The user has no other keys, so no other test changes the counts.
    private func loss(
        ofOwner owner: UInt32, count: Int, remove: (Keyring, [Key]) throws(KeyringError) -> Void
    ) throws -> Int {
        try "200000".write(toFile: "/proc/sys/kernel/keys/maxbytes", atomically: false, encoding: .utf8)
        let scratch = try ScratchKeyring()
        let ring = try scratch.keyring.addKeyring("ring")
        try Key(ring).changeOwner(userID: owner)
        let before = try KeyQuota.current(ofUser: owner).bytes
        let keys = try (0..<count).map { number in try ring.add("\(number)", [1]) }
        #expect(try KeyQuota.current(ofUser: owner).bytes - before == 4 * count)
        try remove(ring, keys)
        return try KeyQuota.current(ofUser: owner).bytes - before
    }
}
