import Foundation
import Keyutils
import SessionKeyringTesting
import Synchronization
import Testing
import Threads

@Suite("Many threads at the same time")
final class ConcurrencyTests: ScratchSuite {
    @Test("8 threads create and drop 10,000 secrets each, and no thread sees another's bytes")
    func secrets() throws {
        let sizes = [1, 64, 65, 256, 300, 1_024, 3_000, 64, 200, 16]
        try ThreadTeam.run(8) { thread in
            let reference = [UInt8](repeating: UInt8(thread + 1), count: 3_000)
            func make(_ count: Int) -> SecretBytes {
                SecretBytes(capacity: count) { buffer in
                    memset(buffer.baseAddress!, CInt(thread + 1), count)
                    return count
                }
            }
            func isMine(_ secret: borrowing SecretBytes, _ count: Int) -> Bool {
                secret.count == count
                    && secret.withBytes { $0.withUnsafeBytes { memcmp($0.baseAddress!, reference, count) == 0 } }
            }
            var previous = make(8)
            var previousCount = 8
            for round in 0..<10_000 {
                let count = sizes[round % sizes.count]
                let secret = make(count)
                guard isMine(secret, count), isMine(previous, previousCount) else {
                    throw SetupFailure(step: "thread \(thread) found foreign bytes in round \(round)")
                }
                previous = secret
                previousCount = count
            }
        }
    }

    @Test("a read returns the complete old or new payload while another thread grows and shrinks it")
    func payload() throws {
        let ring = keyring
        let short = [UInt8](repeating: 1, count: 10)
        let long = [UInt8](repeating: 2, count: 32_767)
        let key = try ring.add("key", short)
        let isOver = Atomic(false)
        let seen = Atomic(0)
        try ThreadTeam.run(2) { thread in
            if thread == 0 {
                defer { isOver.store(true, ordering: .releasing) }
                for _ in 0..<3_000 {
                    try ring.add("key", long)
                    try ring.add("key", short)
                }
            } else {
                // The last read follows the last write, so it sees the short payload.
                var isLast: Bool
                repeat {
                    isLast = isOver.load(ordering: .acquiring)
                    let size = try key.withPayload { payload in
                        payload.withUnsafeBytes { bytes in
                            switch bytes.count {
                            case 10: memcmp(bytes.baseAddress!, short, 10) == 0 ? 10 : -1
                            case 32_767: memcmp(bytes.baseAddress!, long, 32_767) == 0 ? 32_767 : -1
                            default: -1
                            }
                        }
                    }
                    guard size > 0 else { throw SetupFailure(step: "a payload was torn") }
                    guard [10, 32_767].contains(try key.payloadSize()) else { throw SetupFailure(step: "size") }
                    seen.bitwiseOr(size == 10 ? 1 : 2, ordering: .relaxed)
                } while !isLast
            }
        }
        #expect(seen.load(ordering: .relaxed) & 1 == 1)
    }

    @Test("listing a keyring while keys are added misses no member and repeats none")
    func members() throws {
        let ring = keyring
        let fixed = Set(try (0..<250).map { try ring.add("fixed \($0)", [1]).serial })
        let added = Locked<Set<KeySerial>>([])
        let lists = Locked<[[KeySerial]]>([])
        try during {
            for number in 0..<1_000 {
                let key = try ring.add("added \(number)", [1])
                added.withLock { _ = $0.insert(key.serial) }
            }
        } meanwhile: {
            let list = try ring.members()
            guard fixed.isSubset(of: list) else { throw SetupFailure(step: "a member was missed") }
            lists.withLock { $0.append(list) }
        }
        let known = fixed.union(added.withLock { $0 })
        for list in lists.withLock({ $0 }) {
            #expect(Set(list).count == list.count)
            #expect(known.isSuperset(of: list))
        }
        #expect(try Set(ring.members()) == known)
    }
}
