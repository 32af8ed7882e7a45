import Foundation
import Keyutils
import SessionKeyringTesting
import Synchronization
import Testing
import Threads

@Suite("Many threads at the same time", .tags(.threads))
final class ConcurrencyTests: ScratchSuite {
    @Test("8 threads create and drop 1,000 secrets each, and no thread sees another's bytes")
    func secrets() throws { try createSecrets(1_000) }

    @Test("8 threads create and drop 20,000 secrets each, and no thread sees another's bytes", .tags(.long))
    func manySecrets() throws { try createSecrets(20_000) }

    private func createSecrets(_ rounds: Int) throws {
        let sizes = [1, 64, 65, 256, 300, 1_024, 3_000, 64, 200, 16]
        try ThreadTeam.run(8) { thread in
            let reference = [UInt8](repeating: UInt8(thread + 1), count: 3_000)
            func make(_ count: Int) -> SecretBytes {
                SecretBytes(capacity: count) { buffer in
                    reference.withUnsafeBytes { bytes in
                        buffer.copyMemory(from: UnsafeRawBufferPointer(start: bytes.baseAddress, count: count))
                    }
                    return count
                }
            }
            func isMine(_ secret: borrowing SecretBytes, _ count: Int) -> Bool {
                guard secret.count == count else { return false }
                let difference: CInt? = secret.withBytes { bytes in
                    bytes.withUnsafeBytes { bytes -> CInt? in
                        bytes.baseAddress.map { start -> CInt in memcmp(start, reference, count) }
                    }
                }
                return difference == 0
            }
            var previous = make(8)
            var previousCount = 8
            for round in 0..<rounds {
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
    func payload() throws { try readPayload(changes: 1_000) }

    @Test("a read returns the complete old or new payload while another thread changes it 3,000 times", .tags(.long))
    func payloadForLong() throws { try readPayload(changes: 3_000) }

    private func readPayload(changes: Int) throws {
        let ring = keyring
        let short = [UInt8](repeating: 1, count: 10)
        let long = [UInt8](repeating: 2, count: 32_767)
        let key = try ring.add("key", short)
        let isOver = Atomic(false)
        let sawShort = Atomic(false)
        try ThreadTeam.run(2) { thread in
            if thread == 0 {
                defer { isOver.store(true, ordering: .releasing) }
                for _ in 0..<changes {
                    try ring.add("key", long)
                    try ring.add("key", short)
                }
            } else {
                // The last read follows the last write, so it sees the short payload.
                var isLast: Bool
                repeat {
                    isLast = isOver.load(ordering: .acquiring)
                    let size: Int = try key.withPayload { payload in
                        payload.withUnsafeBytes { bytes -> Int in
                            let expected = bytes.count == short.count ? short : long
                            guard let start = bytes.baseAddress, bytes.count == expected.count else { return -1 }
                            return memcmp(start, expected, expected.count) == 0 ? expected.count : -1
                        }
                    }
                    guard size > 0 else { throw SetupFailure(step: "a payload was torn") }
                    guard [10, 32_767].contains(try key.payloadSize()) else { throw SetupFailure(step: "size") }
                    if size == short.count { sawShort.store(true, ordering: .relaxed) }
                } while !isLast
            }
        }
        let hasSeenOne = sawShort.load(ordering: .relaxed)
        #expect(hasSeenOne)
    }

    @Test("listing a keyring while keys are added misses no member and repeats none")
    func members() throws { try listMembers(while: 300) }

    @Test("listing a keyring while 1,000 keys are added misses no member and repeats none", .tags(.long))
    func membersForLong() throws { try listMembers(while: 1_000) }

    /// Lists a keyring while this many keys are added.
    private func listMembers(while additions: Int) throws {
        let ring = keyring
        let fixed = Set(try (0..<250).map { try ring.add("fixed \($0)", [1]).serial })
        let added = Locked<Set<KeySerial>>([])
        let lists = Locked<[[KeySerial]]>([])
        try during {
            for number in 0..<additions {
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
