import Glibc
import Synchronization

/// A few slots of one size that came back, for whoever takes the next one without a lock.
///
/// A thread that is stopped while it takes a slot or puts one back keeps nobody else waiting. Only what does not fit here,
/// when more threads than places hold slots of that size, goes through the arena's lock.
struct SlotFreeList: ~Copyable {
    private static let tiny = SlotFreeList()
    private static let small = SlotFreeList()
    private static let medium = SlotFreeList()
    private static let page = SlotFreeList()
    private static let whole = SlotFreeList()

    private static let placeCount = 8

    /// Addresses of slots, or 0; together one cache line.
    private let places = InlineArray<8, Atomic<UInt>> { _ in Atomic(0) }

    /// A slot for so many bytes, all zero, if there is one.
    static func allocate(_ count: Int) -> SecretArena.Slot? {
        switch count {
        case ...64: tiny.allocate(size: 64)
        case ...256: small.allocate(size: 256)
        case ...1_024: medium.allocate(size: 1_024)
        case ...4_096: page.allocate(size: 4_096)
        default: whole.allocate(size: SecretArena.largestClass)
        }
    }

    /// Keeps a slot that has been wiped; false if there is no place for it.
    static func put(_ slot: SecretArena.Slot) -> Bool {
        switch slot.capacity {
        case 64: tiny.put(slot)
        case 256: small.put(slot)
        case 1_024: medium.put(slot)
        case 4_096: page.put(slot)
        default: whole.put(slot)
        }
    }

    /// Each thread begins at a place of its own, so that it mostly finds the slot again that it has used before.
    private static var firstPlace: Int {
        Int(truncatingIfNeeded: (UInt64(pthread_self()) &* 0x9E37_79B9_7F4A_7C15) >> 61)
    }

    private borrowing func take(size: Int) -> SecretArena.Slot? {
        let first = Self.firstPlace
        for step in 0..<Self.placeCount {
            let place = (first + step) % Self.placeCount
            guard places[place].load(ordering: .relaxed) != 0 else { continue }
            // Taken whole, so it never matters whose slot it was a moment ago.
            let address = places[place].exchange(0, ordering: .acquiring)
            if let start = unsafe UnsafeMutableRawPointer(bitPattern: address) {
                return unsafe SecretArena.Slot(start: start, capacity: size)
            }
        }
        return nil
    }

    private borrowing func put(_ slot: SecretArena.Slot) -> Bool {
        let first = Self.firstPlace
        for step in 0..<Self.placeCount {
            let place = (first + step) % Self.placeCount
            guard places[place].load(ordering: .relaxed) == 0 else { continue }
            let address = unsafe UInt(bitPattern: slot.start)
            let outcome = places[place].compareExchange(expected: 0, desired: address, ordering: .releasing)
            if outcome.exchanged { return true }
        }
        return false
    }
}
