import CLinux
import Glibc
import Synchronization

/// The memory that secrets live in: excluded from core dumps, locked where the limit allows, handed out in slots of a few
/// sizes and wiped when they come back.
///
/// A slot costs no system call once its chunk is mapped, so that reading a secret does not pay for three of them. Chunks
/// stay mapped for the process's life; what needs more than the largest size class gets a mapping of its own.
///
/// A forked child has the memory, and not its lock: the first one to take a slot there locks all of it anew. One that takes
/// none soon becomes another program.
///
/// It is written without the collections of the standard library: building their metadata at run time would cost a cold
/// command more than its work does.
enum SecretArena {
    /// A piece of the arena's memory.
    ///
    /// Each goes back exactly once.
    @safe struct Slot: @unchecked Sendable {
        let start: UnsafeMutableRawPointer
        let capacity: Int
    }

    /// One size above the 32,767 bytes that a `user` key can hold, so that one read always fits.
    static let largestClass = 32_768
    static let pageClass = 4_096

    /// The free slots; the same lock guards the mappings.
    static let lock = LockBox(SizeClasses())
    private nonisolated(unsafe) static var mappings = SlotStack()
    /// The error number of the first piece that could not be locked; 0 until then.
    private static let lockingError = Atomic<CInt>(0)
    /// In which generation of forks; none at first.
    private static let lockedIn = Atomic<UInt32>(.max)

    /// Why a piece could not be locked; `nil` if every piece so far could.
    static var failedLocking: CInt? {
        lockAnewInChild()
        let error = lockingError.load(ordering: .relaxed)
        return error == 0 ? nil : error
    }

    /// A slot of at least `count` bytes, all zero.
    static func allocate(_ count: Int) -> Slot {
        lockAnewInChild()
        guard count <= largestClass else { return lock.withLock { _ in map(count) } }
        return SlotFreeList.take(count) ?? lock.withLock { classes in classes.allocate(count) }
    }

    /// Wipes the first `dirty` bytes and takes the slot back; the caller vouches that it wrote nowhere else.
    static func deallocate(_ slot: Slot, wiping dirty: Int) {
        unsafe explicit_bzero(slot.start, min(dirty, slot.capacity))
        guard slot.capacity <= largestClass else {
            lock.withLock { _ in unsafe mappings.remove(startingAt: slot.start) }
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
            for position in 0..<(unsafe mappings.count) {
                if let mapping = unsafe mappings[position] { keepFromSwap(mapping) }
            }
            lockedIn.store(generation, ordering: .relaxed)
        }
    }

    /// For whoever holds the lock.
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
        unsafe mappings.push(mapping)
        return mapping
    }

    /// On fault, so that a short-lived command does not pay for pages that it never touches.
    ///
    /// A failure is not an error: `failedLocking` keeps its number.
    private static func keepFromSwap(_ mapping: Slot) {
        let onFault: UInt32 = 1
        if unsafe mlock2(mapping.start, mapping.capacity, onFault) != 0 {
            // For a call that isn't there, glibc's wrapper reports EINVAL, which nothing else here causes.
            let error = errno == EINVAL ? ENOSYS : errno
            _ = lockingError.compareExchange(expected: 0, desired: error, ordering: .relaxed)
        }
    }
}

/// Free slots of each size.
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

/// The free slots of one size: what is left of the newest chunk, and a stack of those that came back.
@safe private struct FreeSlots {
    private static let chunkSize = 65_536

    private var fresh: UnsafeMutableRawPointer?
    private var freshCount = 0
    private var returned = SlotStack()

    mutating func allocate(size: Int) -> SecretArena.Slot {
        if let slot = returned.pop() { return slot }
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

    mutating func deallocate(_ slot: SecretArena.Slot) { returned.push(slot) }
}
