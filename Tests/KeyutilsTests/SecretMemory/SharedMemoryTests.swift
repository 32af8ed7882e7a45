import Keyutils
import SessionKeyringTesting
import Testing
import Threads

@Suite("The memory of secrets, shared by threads", .tags(.threads))
struct SharedMemoryTests {
    @Test("no two secrets ever share memory", arguments: [10, 200, 2_000, 20_000])
    func exclusive(_ size: Int) { expectOwnMemory(size, rounds: 50) }

    @Test("no two of many secrets ever share memory", .tags(.long), arguments: [10, 200, 2_000, 20_000])
    func exclusiveForLong(_ size: Int) { expectOwnMemory(size, rounds: 500) }

    /// Runs more threads than the free list has slots, each with several secrets of one size at the same time.
    private func expectOwnMemory(_ size: Int, rounds: Int) {
        let mixedUp = Locked(0)
        ThreadTeam.run(12) { index in
            for round in 0..<rounds {
                let number = index * 20 + round
                let mark = UInt8(number % 255 + 1)
                let one = SecretBytes(copying: [UInt8](repeating: mark, count: size))
                let other = SecretBytes(copying: [UInt8](repeating: mark ^ 0xFF, count: size))
                if !one.isFull(of: mark) || !other.isFull(of: mark ^ 0xFF) { mixedUp.withLock { $0 += 1 } }
            }
        }
        #expect(mixedUp.withLock { $0 } == 0)
    }

    @Test("new memory is all zero, whichever thread used it before")
    func wiped() {
        let dirty = Locked(0)
        ThreadTeam.run(12) { _ in
            for _ in 0..<500 {
                let secret = SecretBytes(capacity: 200) { buffer in
                    let isZero = Memory.isZero(at: Int(bitPattern: buffer.baseAddress), count: 200)
                    if !isZero { dirty.withLock { $0 += 1 } }
                    buffer.initializeMemory(as: UInt8.self, repeating: 0xAA)
                    return 200
                }
                if secret.count != 200 { dirty.withLock { $0 += 1 } }
            }
        }
        #expect(dirty.withLock { $0 } == 0)
    }
}

extension SecretBytes {
    fileprivate borrowing func isFull(of mark: UInt8) -> Bool {
        withBytes { bytes in
            stride(from: 0, to: bytes.byteCount, by: max(1, bytes.byteCount / 8)).allSatisfy { offset in
                bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) == mark
            }
        }
    }
}
