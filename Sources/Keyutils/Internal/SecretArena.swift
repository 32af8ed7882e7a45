import CKeyutils
import Glibc
import Synchronization

/// The memory that secrets live in: excluded from core dumps, locked where the limit allows, handed out in slots of a few
/// sizes and wiped when they come back.
///
/// A slot costs no system call once its chunk is mapped, so that reading a secret does not pay for three of them. Chunks
/// stay mapped for the process's life; what needs more than the largest size class gets a mapping of its own.
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

    private static let lock = ThreadLock()
    private nonisolated(unsafe) static var classes = SizeClasses()
    private static let someUnlocked = Atomic(false)

    /// Whether every piece so far could be locked.
    static var isLocked: Bool { !someUnlocked.load(ordering: .relaxed) }

    /// A slot of at least `count` bytes, all zero.
    static func take(_ count: Int) -> Slot {
        guard count <= largestClass else { return map(count) }
        return SlotShelf.take(count) ?? lock.withLock { unsafe classes.take(count) }
    }

    /// Wipes the first `dirty` bytes and takes the slot back; the caller vouches that it wrote nowhere else.
    static func giveBack(_ slot: Slot, wiping dirty: Int) {
        unsafe explicit_bzero(slot.start, min(dirty, slot.capacity))
        guard slot.capacity <= largestClass else {
            unsafe munmap(slot.start, slot.capacity)
            return
        }
        if SlotShelf.put(slot) { return }
        lock.withLock { unsafe classes.giveBack(slot) }
    }

    fileprivate static func map(_ count: Int) -> Slot {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        let start = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, flags, -1, 0)
        // MAP_FAILED is -1.
        guard let start = unsafe start, Int(bitPattern: start) != -1 else {
            fatalError("out of memory for secrets: mmap of \(count) bytes failed with errno \(errno)")
        }
        unsafe madvise(start, count, MADV_DONTDUMP)
        // On fault, so that a short-lived command does not pay for pages that it never touches. A limit that is too low
        // is not an error: `isLocked` says so.
        let onFault: UInt32 = 1
        if unsafe mlock2(start, count, onFault) != 0 { someUnlocked.store(true, ordering: .relaxed) }
        return unsafe Slot(start: start, capacity: count)
    }
}

/// Free slots of each size.
private struct SizeClasses {
    private var tiny = FreeSlots()
    private var small = FreeSlots()
    private var medium = FreeSlots()
    private var page = FreeSlots()
    private var whole = FreeSlots()

    mutating func take(_ count: Int) -> SecretArena.Slot {
        switch count {
        case ...64: tiny.take(size: 64)
        case ...256: small.take(size: 256)
        case ...1_024: medium.take(size: 1_024)
        case ...4_096: page.take(size: 4_096)
        default: whole.take(size: SecretArena.largestClass)
        }
    }

    mutating func giveBack(_ slot: SecretArena.Slot) {
        switch slot.capacity {
        case 64: tiny.giveBack(slot)
        case 256: small.giveBack(slot)
        case 1_024: medium.giveBack(slot)
        case 4_096: page.giveBack(slot)
        default: whole.giveBack(slot)
        }
    }
}

/// The free slots of one size: what is left of the newest chunk, and a stack of those that came back.
@safe private struct FreeSlots {
    private static let chunkSize = 65_536

    private var fresh: UnsafeMutableRawPointer?
    private var freshCount = 0
    private var returned: UnsafeMutablePointer<UnsafeMutableRawPointer>?
    private var returnedCount = 0
    private var returnedCapacity = 0

    mutating func take(size: Int) -> SecretArena.Slot {
        if returnedCount > 0, let returned = unsafe returned {
            returnedCount -= 1
            return unsafe SecretArena.Slot(start: returned[returnedCount], capacity: size)
        }
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

    mutating func giveBack(_ slot: SecretArena.Slot) {
        if returnedCount == returnedCapacity { grow() }
        unsafe returned?[returnedCount] = unsafe slot.start
        returnedCount += 1
    }

    private mutating func grow() {
        let capacity = max(64, returnedCapacity * 2)
        let larger = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: capacity)
        if let returned = unsafe returned {
            unsafe larger.update(from: returned, count: returnedCount)
            unsafe returned.deallocate()
        }
        unsafe returned = unsafe larger
        returnedCapacity = capacity
    }
}
