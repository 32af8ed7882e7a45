import Glibc
import Synchronization

/// A few free slots of one size, which threads take and put back without a lock.
///
/// A thread that is stopped while it takes a slot or puts one back doesn't make other threads wait. The arena's lock is
/// needed only if more threads than there are entries hold slots of that size.
struct SlotFreeList: ~Copyable {
    private static let tiny = SlotFreeList()
    private static let small = SlotFreeList()
    private static let medium = SlotFreeList()
    private static let page = SlotFreeList()
    private static let whole = SlotFreeList()

    private static let entryCount = 8

    private let entries: InlineArray<8, Entry> = [
        Entry(), Entry(), Entry(), Entry(), Entry(), Entry(), Entry(), Entry(),
    ]

    /// The address of a free slot, or 0; each entry has its own cache line, so that threads don't contend for it.
    private struct Entry: ~Copyable {
        let address = Atomic<UInt>(0)
        private let rest: (UInt, UInt, UInt, UInt, UInt, UInt, UInt) = (0, 0, 0, 0, 0, 0, 0)
    }

    /// Takes a free slot of at least `count` bytes, all zero; `nil` if there isn't one.
    static func take(_ count: Int) -> SecretArena.Slot? {
        switch count {
        case ...64: tiny.take(size: 64)
        case ...256: small.take(size: 256)
        case ...1_024: medium.take(size: 1_024)
        case ...SecretArena.pageClass: page.take(size: SecretArena.pageClass)
        default: whole.take(size: SecretArena.largestClass)
        }
    }

    /// Keeps a slot that has been wiped; false if all entries are occupied.
    static func put(_ slot: SecretArena.Slot) -> Bool {
        switch slot.capacity {
        case 64: tiny.put(slot)
        case 256: small.put(slot)
        case 1_024: medium.put(slot)
        case SecretArena.pageClass: page.put(slot)
        default: whole.put(slot)
        }
    }

    /// The entry at which the calling thread starts.
    ///
    /// Threads start at different entries, so that a thread usually gets the slot that it has used before.
    private static var firstEntry: Int {
        Int(truncatingIfNeeded: (UInt64(pthread_self()) &* 0x9E37_79B9_7F4A_7C15) >> 61)
    }

    private borrowing func take(size: Int) -> SecretArena.Slot? {
        let first = Self.firstEntry
        for step in 0..<Self.entryCount {
            let entry = (first + step) % Self.entryCount
            guard entries[entry].address.load(ordering: .relaxed) != 0 else { continue }
            // The exchange takes the entry's current address, so it doesn't matter if another thread
            // has just replaced it.
            let address = entries[entry].address.exchange(0, ordering: .acquiring)
            if let start = unsafe UnsafeMutableRawPointer(bitPattern: address) {
                return unsafe SecretArena.Slot(start: start, capacity: size)
            }
        }
        return nil
    }

    private borrowing func put(_ slot: SecretArena.Slot) -> Bool {
        let first = Self.firstEntry
        for step in 0..<Self.entryCount {
            let entry = (first + step) % Self.entryCount
            guard entries[entry].address.load(ordering: .relaxed) == 0 else { continue }
            let address = unsafe UInt(bitPattern: slot.start)
            let outcome = entries[entry].address.compareExchange(expected: 0, desired: address, ordering: .releasing)
            if outcome.exchanged { return true }
        }
        return false
    }
}
