import CTestFilters
import Glibc
import SessionKeyringTesting
import Testing
import Threads

@testable import Keyutils

/// Properties that users of secrets don't see: memory is reused, and no more of it is taken than necessary.
///
/// Most of these tests run in their own process, where no other test takes slots.
@Suite("The arena of secrets", .tags(.threads))
struct SecretArenaTests {
    private static let classes = [64, 256, 1_024, 4_096, 32_768]

    @Test(
        "a slot, new or reused, has the smallest size that its bytes fit in",
        arguments: [
            (1, 64), (64, 64), (65, 256), (256, 256), (257, 1_024), (1_024, 1_024), (1_025, 4_096), (4_096, 4_096),
            (4_097, 32_768), (32_768, 32_768), (32_769, 32_769),
        ])
    func sizes(count: Int, capacity: Int) {
        // 20 slots are more than the free list holds.
        for _ in 0..<2 {
            let slots = (0..<20).map { _ in SecretArena.allocate(count) }
            #expect(slots.allSatisfy { $0.capacity == capacity })
            for slot in slots { SecretArena.deallocate(slot, wiping: 0) }
        }
    }

    @Test("slots are next to each other, and all deallocated slots are used again")
    func reuse() async {
        await #expect(processExitsWith: .success) {
            for size in Self.classes { Self.reuse(slotsOf: size) }
        }
    }

    private static func addresses(_ slots: some Sequence<SecretArena.Slot>) -> Set<Int> {
        Set(slots.map { slot -> Int in Int(bitPattern: slot.start) })
    }

    private static func reuse(slotsOf size: Int) {
        func allocate(_ count: Int) -> [SecretArena.Slot] { (0..<count).map { _ in SecretArena.allocate(size) } }
        let pieces = 4
        let count = pieces * 65_536 / size
        let slots = allocate(count)
        let first = addresses(slots)
        #expect(first.count == count, "\(size) bytes")
        let ends = Set(first.map { $0 + size })
        #expect(first.subtracting(ends).count <= pieces, "\(size) bytes: no more pieces than needed")
        for slot in slots { SecretArena.deallocate(slot, wiping: 0) }
        #expect(addresses(allocate(count)) == first, "\(size) bytes")
    }

    @Test("the free list keeps eight deallocated slots of each size and hands them out again")
    func freeList() async {
        await #expect(processExitsWith: .success) {
            for size in Self.classes { Self.fillFreeList(of: size) }
        }
    }

    private static func fillFreeList(of size: Int) {
        let slots = (0..<9).map { _ in SecretArena.allocate(size) }
        while SlotFreeList.take(size) != nil {}
        for slot in slots.prefix(8) { #expect(SlotFreeList.put(slot), "\(size) bytes") }
        #expect(!SlotFreeList.put(slots[8]), "\(size) bytes: the list is full")
        let taken = (0..<8).compactMap { _ in SlotFreeList.take(size) }
        #expect(addresses(taken) == addresses(slots.prefix(8)), "\(size) bytes")
        #expect(taken.allSatisfy { $0.capacity == size }, "\(size) bytes")
        #expect(SlotFreeList.take(size) == nil, "\(size) bytes")
        SecretArena.deallocate(slots[0], wiping: 0)
        #expect(SecretArena.allocate(size).start == slots[0].start, "\(size) bytes")
        SecretArena.deallocate(slots[0], wiping: 0)
        #expect(SlotFreeList.take(size)?.start == slots[0].start, "\(size) bytes")
    }

    @Test("the free list loses no slot if many threads take and return slots at the same time")
    func sharedFreeList() async {
        await #expect(processExitsWith: .success) { Self.shareFreeList(rounds: 2_000) }
    }

    @Test("the free list loses no slot if many threads take and return slots for long", .tags(.long))
    func sharedFreeListForLong() async {
        await #expect(processExitsWith: .success) { Self.shareFreeList(rounds: 20_000) }
    }

    private static func shareFreeList(rounds: Int) {
        let slots = (0..<4).map { _ in SecretArena.allocate(64) }
        while SlotFreeList.take(64) != nil {}
        for slot in slots { #expect(SlotFreeList.put(slot)) }
        ThreadTeam.run(12) { _ in
            for _ in 0..<rounds {
                guard let slot = SlotFreeList.take(64) else { continue }
                while !SlotFreeList.put(slot) {}
            }
        }
        let left = (0..<9).compactMap { _ in SlotFreeList.take(64) }
        #expect(left.count == 4)
        #expect(addresses(left) == addresses(slots))
    }

    @Test("a child forked after a large secret has ended has all its memory locked", .enabled(if: Memory.mayLock))
    func forkedAfterUnmapping() async {
        await #expect(processExitsWith: .success) {
            let older = SecretBytes(copying: pattern(100))
            let large = SecretBytes(copying: pattern(1_048_576))
            let newer = SecretBytes(copying: pattern(40_000))
            _ = consume large
            let child = test_fork()
            if child == 0 {
                let secret = SecretBytes(copying: pattern(100))
                _exit(secret.count == 100 && SecretBytes.isMemoryLocked ? 0 : 3)
            }
            var status = CInt()
            waitpid(child, &status, 0)
            #expect(status == 0)
            #expect(older.count == 100)
            #expect(newer.count == 40_000)
        }
    }
}
