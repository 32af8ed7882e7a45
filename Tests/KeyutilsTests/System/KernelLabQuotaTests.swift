import Foundation
import Keyutils
import SessionKeyringTesting
import Testing

/// In the lab alone, because what is lost here is lost for as long as the owner has keys.
@Suite("The lab's quota", .enabled(if: Capability.isKernelLab))
struct KernelLabQuotaTests {
    @Test("clearing a ring of 16,384 links loses 65,536 bytes of its owner's quota, with one link less none")
    func clearing() throws {
        #expect(try loss(ofOwner: 60_160, count: 16_383) { ring, _ throws(KeyringError) in try ring.clear() } == 0)
        #expect(try loss(ofOwner: 60_161, count: 16_384) { ring, _ throws(KeyringError) in try ring.clear() } == 65_536)
    }

    @Test("removing as many links one by one loses none")
    func unlinking() throws {
        let lost = try loss(ofOwner: 60_162, count: 16_384) { ring, keys throws(KeyringError) in
            for key in keys { try ring.unlink(key) }
        }
        #expect(lost == 0)
    }

    /// How many bytes are missing when so many links were made in a ring of that user and removed again.
    ///
    /// The user has nothing else, so that no other test moves the counts.
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
