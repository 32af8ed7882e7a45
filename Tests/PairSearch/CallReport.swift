import Glibc
import StressSuite

/// What a process tells of its operation.
struct CallReport: BitwiseCopyable {
    enum Outcome: UInt8 {
        /// It has not ended.
        case none
        /// It did what it was asked, and an item was there.
        case done
        /// There was no item; of an add, there was one; of a lease, it was lost before it was given back.
        case refused
        case threw
    }

    var outcome = Outcome.none
    /// When the operation began and ended, in nanoseconds.
    var invoked: UInt64 = 0
    var returned: UInt64 = 0
    /// The stamp that it found, or 0.
    var observed: UInt64 = 0
    /// When a fetch began to fetch, or 0.
    var fetched: UInt64 = 0
    /// From when until when a lease was surely held.
    var heldFrom: UInt64 = 0
    var heldUntil: UInt64 = 0
    /// Whether a lease is held until ``mayRelease`` is said.
    var isHolding = false
    var mayRelease = false
    /// What the process read when it was through, and when.
    var readInvoked: UInt64 = 0
    var readReturned: UInt64 = 0
    var readObserved: UInt64 = 0
    /// What was thrown.
    var error = SharedText()

    /// Which error it was, as the error's own name.
    var isQuotaExceeded = false
    /// Whether it says that the lease was lost, or held by somebody else for too long.
    var isAboutLease = false
}

/// A text of limited length that can be in shared memory.
struct SharedText: BitwiseCopyable {
    private var bytes = InlineArray<600, UInt8>(repeating: 0)

    var text: String {
        get { String(decoding: bytes.indices.map { bytes[$0] }.prefix { $0 != 0 }, as: UTF8.self) }
        set { for (index, byte) in newValue.utf8.prefix(bytes.count - 1).enumerated() { bytes[index] = byte } }
    }
}

/// A value in memory that is shared with the processes that are forked from now on.
final class Shared<Value: BitwiseCopyable> {
    let pointer: UnsafeMutablePointer<Value>

    init(_ value: Value) {
        let memory = mmap(
            nil, MemoryLayout<Value>.stride, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { fatalError("no memory: errno \(errno)") }
        pointer = memory.bindMemory(to: Value.self, capacity: 1)
        pointer.initialize(to: value)
    }

    deinit { munmap(pointer, MemoryLayout<Value>.stride) }

    var value: Value {
        get { pointer.pointee }
        set { pointer.pointee = newValue }
    }
}
