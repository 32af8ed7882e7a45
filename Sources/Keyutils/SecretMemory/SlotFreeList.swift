import Glibc
import Synchronization

/// A few slots of one size that came back, for whoever takes the next one without a lock.
///
/// A thread that is stopped while it takes a slot or puts one back keeps nobody else waiting. Only what does not fit here,
/// when more threads than entries hold slots of that size, goes through the arena's lock.
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

    /// The address of a slot, or 0, in a cache line of its own, so that threads don't wait for each other's.
    private struct Entry: ~Copyable {
        let address = Atomic<UInt>(0)
        private let rest: (UInt, UInt, UInt, UInt, UInt, UInt, UInt) = (0, 0, 0, 0, 0, 0, 0)
    }

    /// A slot for so many bytes, all zero, if there is one.
    static func take(_ count: Int) -> SecretArena.Slot? {
        switch count {
        case ...64: tiny.take(size: 64)
        case ...256: small.take(size: 256)
        case ...1_024: medium.take(size: 1_024)
        case ...SecretArena.pageClass: page.take(size: SecretArena.pageClass)
        default: whole.take(size: SecretArena.largestClass)
        }
    }

    /// Keeps a slot that has been wiped; false if all entries are taken.
    static func put(_ slot: SecretArena.Slot) -> Bool {
        switch slot.capacity {
        case 64: tiny.put(slot)
        case 256: small.put(slot)
        case 1_024: medium.put(slot)
        case SecretArena.pageClass: page.put(slot)
        default: whole.put(slot)
        }
    }

    /// Each thread begins at an entry of its own, so that it mostly finds the slot again that it has used before.
    private static var firstEntry: Int {
        Int(truncatingIfNeeded: (UInt64(pthread_self()) &* 0x9E37_79B9_7F4A_7C15) >> 61)
    }

    private borrowing func take(size: Int) -> SecretArena.Slot? {
        let first = Self.firstEntry
        for step in 0..<Self.entryCount {
            let entry = (first + step) % Self.entryCount
            guard entries[entry].address.load(ordering: .relaxed) != 0 else { continue }
            // Taken whole, so it never matters whose slot it was a moment ago.
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
