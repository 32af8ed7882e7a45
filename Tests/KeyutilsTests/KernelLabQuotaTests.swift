import Foundation
import Keyutils
import SessionKeyringTesting
import Testing

/// In the lab alone, because what is lost here is lost for as long as the owner has keys.
@Suite("The lab's quota", .enabled(if: Capability.isKernelLab))
struct KernelLabQuotaTests {
    @Test("clearing a ring of 16,384 links loses 65,536 bytes of its owner's quota; with one link less it loses none")
    func largeRing() throws {
        try "200000".write(toFile: "/proc/sys/kernel/keys/maxbytes", atomically: false, encoding: .utf8)
        for (owner, count, lost) in [(60_160 as UInt32, 16_383, 0), (60_161, 16_384, 65_536)] {
            let scratch = try ScratchKeyring()
            let ring = try scratch.keyring.addKeyring("ring")
            // Of this owner there is nothing else, so that no other test moves the counts.
            try Key(ring).changeOwner(userID: owner)
            let before = try KeyQuota.current(ofUser: owner)
            for number in 0..<count { try ring.add("\(number)", [1]) }
            #expect(try KeyQuota.current(ofUser: owner).bytes - before.bytes == 4 * count)
            try ring.clear()
            #expect(try KeyQuota.current(ofUser: owner).bytes - before.bytes == lost)
        }
    }
}
