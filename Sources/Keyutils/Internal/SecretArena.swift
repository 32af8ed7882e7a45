import CKeyutils
import Glibc
import Synchronization

/// The memory that secrets live in: excluded from core dumps, locked where the limit allows, handed out in slots of a few
/// sizes and wiped when they come back.
///
/// A slot costs no system call once its chunk is mapped, so that reading a secret does not pay for three of them. Chunks
/// stay mapped for the process's life; what needs more than the largest size class gets a mapping of its own.
struct SecretArena: ~Copyable {
    /// A piece of the arena's memory. Only the arena makes one, and each goes back exactly once.
    @safe struct Slot: @unchecked Sendable {
        let start: UnsafeMutableRawPointer
        let capacity: Int
        let isLocked: Bool
    }

    static let shared = SecretArena()

    /// One size above the 32,767 bytes that a `user` key can hold, so that one read always fits.
    static let largestClass = 32_768
    private static let classes = [64, 256, 1_024, 4_096, largestClass]
    private static let chunkSize = 65_536

    private let free = Mutex<[[Slot]]>(Array(repeating: [], count: classes.count))

    private init() {}

    /// A slot of at least `count` bytes, all zero.
    func take(_ count: Int) -> Slot {
        guard let index = Self.classes.firstIndex(where: { $0 >= count }) else { return Self.map(count) }
        return free.withLock { slots in
            if let slot = slots[index].popLast() { return slot }
            let chunk = Self.map(Self.chunkSize)
            let size = Self.classes[index]
            for offset in stride(from: Self.chunkSize - size, through: 0, by: -size) {
                unsafe slots[index].append(
                    Slot(start: chunk.start + offset, capacity: size, isLocked: chunk.isLocked)
                )
            }
            return slots[index].removeLast()
        }
    }

    /// Wipes the first `dirty` bytes and takes the slot back; the caller vouches that it wrote nowhere else.
    func giveBack(_ slot: Slot, wiping dirty: Int) {
        unsafe explicit_bzero(slot.start, min(dirty, slot.capacity))
        if let index = Self.classes.firstIndex(of: slot.capacity) {
            free.withLock { slots in slots[index].append(slot) }
        } else {
            unsafe munmap(slot.start, slot.capacity)
        }
    }

    private static func map(_ count: Int) -> Slot {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        guard let start = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, flags, -1, 0), unsafe start != MAP_FAILED else {
            fatalError("out of memory for secrets: mmap of \(count) bytes failed with errno \(errno)")
        }
        unsafe madvise(start, count, MADV_DONTDUMP)
        // On fault, so that a short-lived command does not pay for pages that it never touches. A limit that is too low
        // is not an error: `isLocked` says so.
        let onFault: UInt32 = 1
        let isLocked = unsafe mlock2(start, count, onFault) == 0
        return unsafe Slot(start: start, capacity: count, isLocked: isLocked)
    }
}
