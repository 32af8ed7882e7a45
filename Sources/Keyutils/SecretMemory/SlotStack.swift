/// A stack of slots of the arena.
///
/// It is not an array, because Swift would build the array's metadata at run time.
@safe struct SlotStack {
    private var slots: UnsafeMutablePointer<SecretArena.Slot>?
    private(set) var count = 0
    private var capacity = 0

    mutating func push(_ slot: SecretArena.Slot) {
        if count == capacity { grow() }
        unsafe slots?[count] = slot
        count += 1
    }

    mutating func pop() -> SecretArena.Slot? {
        guard count > 0 else { return nil }
        count -= 1
        return unsafe slots?[count]
    }

    subscript(_ position: Int) -> SecretArena.Slot? {
        position < count ? unsafe slots?[position] : nil
    }

    /// Removes the slot that starts at this address; the order of the others can change.
    mutating func remove(startingAt start: UnsafeMutableRawPointer) {
        guard let slots = unsafe slots else { return }
        for position in 0..<count where unsafe slots[position].start == start {
            count -= 1
            unsafe slots[position] = slots[count]
            return
        }
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<SecretArena.Slot>.allocate(capacity: max(64, capacity * 2))
        if let slots = unsafe slots {
            unsafe larger.update(from: slots, count: count)
            unsafe slots.deallocate()
        }
        unsafe slots = unsafe larger
        capacity = max(64, capacity * 2)
    }
}
