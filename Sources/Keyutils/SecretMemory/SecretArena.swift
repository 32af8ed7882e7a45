import CLinux
import Glibc
import Synchronization

/// The memory for secrets: excluded from core dumps, locked where the limit allows, and wiped when freed.
///
/// The arena hands out slots of a few sizes. A slot costs no system call once its chunk is mapped, which saves three of
/// them each time a secret is read. Chunks stay mapped for the life of the process. A secret larger than the largest
/// size class gets its own mapping.
///
/// A forked child inherits the memory, but not its lock in RAM. The first call in the child that allocates a slot locks
/// all of the memory again. A child that allocates nothing soon executes another program.
enum SecretArena {
    /// A piece of the arena's memory.
    ///
    /// Each slot is deallocated exactly once.
    @safe struct Slot: @unchecked Sendable {
        let start: UnsafeMutableRawPointer
        let capacity: Int
    }

    /// Larger than the 32,767 bytes that a `user` key can hold, so that one read always fits.
    static let largestClass = 32_768
    static let pageClass = 4_096

    /// The free slots; the same lock guards the mappings.
    static let lock = LockBox(SizeClasses())
    private nonisolated(unsafe) static var mappings: Mapping?
    /// The error number of the first mapping that could not be locked; 0 if all could.
    private static let lockingError = Atomic<CInt>(0)
    /// The generation of forks in which the memory was last locked; `.max` until the first time.
    private static let lockedIn = Atomic<UInt32>(.max)

    /// The reason why a mapping could not be locked; `nil` if all mappings could.
    static var failedLocking: CInt? {
        lockAnewInChild()
        let error = lockingError.load(ordering: .relaxed)
        return error == 0 ? nil : error
    }

    /// All of the arena's memory.
    static var memory: [Slot] {
        lock.withLock { _ in
            var slots: [Slot] = []
            forEachMapping { slots.append($0) }
            return slots
        }
    }

    /// Returns a slot of at least `count` bytes, all zero.
    static func allocate(_ count: Int) -> Slot {
        lockAnewInChild()
        guard count <= largestClass else { return lock.withLock { _ in map(count) } }
        return SlotFreeList.take(count) ?? lock.withLock { classes in classes.allocate(count) }
    }

    /// Wipes the first `dirty` bytes of a slot and frees it; the caller guarantees that it wrote nowhere else.
    static func deallocate(_ slot: Slot, wiping dirty: Int) {
        unsafe explicit_bzero(slot.start, min(dirty, slot.capacity))
        guard slot.capacity <= largestClass else {
            lock.withLock { _ in unsafe Mapping.remove(slot.start, from: &mappings) }
            unsafe munmap(slot.start, slot.capacity)
            return
        }
        if SlotFreeList.put(slot) { return }
        lock.withLock { classes in classes.deallocate(slot) }
    }

    @inline(__always)
    private static func lockAnewInChild() {
        if lockedIn.load(ordering: .relaxed) != Forks.counted { lockAnew() }
    }

    @inline(never)
    private static func lockAnew() {
        let generation = Forks.generation
        lock.withLock { _ in
            guard lockedIn.load(ordering: .relaxed) != generation else { return }
            forEachMapping { keepFromSwap($0) }
            lockedIn.store(generation, ordering: .relaxed)
        }
    }

    /// Maps memory; the caller holds the lock.
    fileprivate static func map(_ count: Int) -> Slot {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        let start = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, flags, -1, 0)
        // MAP_FAILED is -1.
        guard let start = unsafe start, Int(bitPattern: start) != -1 else {
            fatalError("out of memory for secrets: mmap of \(count) bytes failed with errno \(errno)")
        }
        unsafe madvise(start, count, MADV_DONTDUMP)
        let mapping = unsafe Slot(start: start, capacity: count)
        keepFromSwap(mapping)
        unsafe mappings = Mapping(slot: mapping, next: mappings)
        return mapping
    }

    /// Calls `body` with each mapping; the caller holds the lock.
    private static func forEachMapping(_ body: (Slot) -> Void) {
        var next = unsafe mappings
        while let mapping = next {
            body(mapping.slot)
            next = mapping.next
        }
    }

    /// Locks a mapping in RAM, so that it is never swapped out.
    ///
    /// The kernel locks each page when it is first touched, so that a short-lived command does not pay for pages that
    /// it never touches. A failure is not an error: `failedLocking` reports its number.
    private static func keepFromSwap(_ mapping: Slot) {
        let onFault: UInt32 = 1
        if unsafe mlock2(mapping.start, mapping.capacity, onFault) != 0 {
            // If the kernel does not have this call, glibc's wrapper reports EINVAL, which has no other cause here.
            let error = errno == EINVAL ? ENOSYS : errno
            _ = lockingError.compareExchange(expected: 0, desired: error, ordering: .relaxed)
        }
    }
}

/// A mapping of the arena, in a list.
///
/// The list is not an array, because Swift would build the array's type at run time, which takes 8% of a hit of
/// `skr cached`.
private final class Mapping {
    let slot: SecretArena.Slot
    var next: Mapping?

    init(slot: SecretArena.Slot, next: Mapping?) {
        self.slot = slot
        self.next = next
    }

    /// Removes the mapping that starts at this address.
    static func remove(_ start: UnsafeMutableRawPointer, from list: inout Mapping?) {
        if let first = list, unsafe first.slot.start == start {
            list = first.next
            return
        }
        var mapping = list
        while let next = mapping?.next, unsafe next.slot.start != start { mapping = next }
        mapping?.next = mapping?.next?.next
    }
}

/// The free slots of each size.
struct SizeClasses {
    private var tiny = FreeSlots()
    private var small = FreeSlots()
    private var medium = FreeSlots()
    private var page = FreeSlots()
    private var whole = FreeSlots()

    mutating func allocate(_ count: Int) -> SecretArena.Slot {
        switch count {
        case ...64: tiny.allocate(size: 64)
        case ...256: small.allocate(size: 256)
        case ...1_024: medium.allocate(size: 1_024)
        case ...SecretArena.pageClass: page.allocate(size: SecretArena.pageClass)
        default: whole.allocate(size: SecretArena.largestClass)
        }
    }

    mutating func deallocate(_ slot: SecretArena.Slot) {
        switch slot.capacity {
        case 64: tiny.deallocate(slot)
        case 256: small.deallocate(slot)
        case 1_024: medium.deallocate(slot)
        case SecretArena.pageClass: page.deallocate(slot)
        default: whole.deallocate(slot)
        }
    }
}

/// The free slots of one size: the unused rest of the newest chunk, and a stack of slots that were freed.
@safe private struct FreeSlots {
    private static let chunkSize = 65_536

    private var fresh: UnsafeMutableRawPointer?
    private var freshCount = 0
    private var returned: [SecretArena.Slot] = []

    mutating func allocate(size: Int) -> SecretArena.Slot {
        if let slot = returned.popLast() { return slot }
        let start: UnsafeMutableRawPointer
        if freshCount > 0, let next = unsafe fresh {
            unsafe start = unsafe next
        } else {
            unsafe start = unsafe SecretArena.map(Self.chunkSize).start
            freshCount = Self.chunkSize / size
        }
        freshCount -= 1
        unsafe fresh = unsafe start + size
        return unsafe SecretArena.Slot(start: start, capacity: size)
    }

    mutating func deallocate(_ slot: SecretArena.Slot) { returned.append(slot) }
}
