import CTestFilters
import Glibc
import SessionKeyringTesting
import Testing
import Threads

@testable import Keyutils

/// Properties that users of secrets don't see: memory is reused, and no more of it is taken than necessary.
///
/// Most of these tests run in their own process, where no other test takes slots.
@Suite("The arena of secrets")
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

    @Test("slots are next to each other, and all deallocated slots are used again", arguments: classes)
    func reuse(size: Int) async {
        await #expect(processExitsWith: .success) { [size = size as Int] in
            func allocate(_ count: Int) -> [SecretArena.Slot] { (0..<count).map { _ in SecretArena.allocate(size) } }
            func addresses(_ slots: [SecretArena.Slot]) -> Set<UInt> { Set(slots.map { UInt(bitPattern: $0.start) }) }
            let pieces = 4
            let count = pieces * 65_536 / size
            let slots = allocate(count)
            let first = addresses(slots)
            #expect(first.count == count)
            let ordered = first.sorted()
            let gaps = zip(ordered, ordered.dropFirst()).count { $1 - $0 != UInt(size) }
            #expect(gaps < pieces, "no more pieces than needed")
            for slot in slots { SecretArena.deallocate(slot, wiping: 0) }
            #expect(addresses(allocate(count)) == first)
        }
    }

    @Test("the free list keeps eight deallocated slots of each size and hands them out again", arguments: classes)
    func freeList(size: Int) async {
        await #expect(processExitsWith: .success) { [size = size as Int] in
            let slots = (0..<9).map { _ in SecretArena.allocate(size) }
            while SlotFreeList.take(size) != nil {}
            for slot in slots.prefix(8) { #expect(SlotFreeList.put(slot)) }
            #expect(!SlotFreeList.put(slots[8]), "the list is full")
            let taken = (0..<8).compactMap { _ in SlotFreeList.take(size) }
            #expect(Set(taken.map(\.start)) == Set(slots.prefix(8).map(\.start)))
            #expect(taken.allSatisfy { $0.capacity == size })
            #expect(SlotFreeList.take(size) == nil)
            SecretArena.deallocate(slots[0], wiping: 0)
            #expect(SecretArena.allocate(size).start == slots[0].start)
            SecretArena.deallocate(slots[0], wiping: 0)
            #expect(SlotFreeList.take(size)?.start == slots[0].start)
        }
    }

    @Test("the free list loses no slot if many threads take and return slots at the same time")
    func sharedFreeList() async {
        await #expect(processExitsWith: .success) {
            let slots = (0..<4).map { _ in SecretArena.allocate(64) }
            while SlotFreeList.take(64) != nil {}
            for slot in slots { #expect(SlotFreeList.put(slot)) }
            ThreadTeam.run(12) { _ in
                for _ in 0..<20_000 {
                    guard let slot = SlotFreeList.take(64) else { continue }
                    while !SlotFreeList.put(slot) {}
                }
            }
            let left = (0..<9).compactMap { _ in SlotFreeList.take(64) }
            #expect(left.count == 4)
            #expect(Set(left.map(\.start)) == Set(slots.map(\.start)))
        }
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
