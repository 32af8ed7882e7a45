import Glibc
import StressSuite

/// The report of a process about its operation.
struct CallReport: BitwiseCopyable {
    enum Outcome: UInt8 {
        /// The operation has not ended.
        case none
        /// The operation succeeded, and found the item if it needs one.
        case done
        /// The item didn't exist; for an add, it existed; for a lease, it was lost before its release.
        case refused
        case threw
    }

    var outcome = Outcome.none
    /// When the operation began and ended, in nanoseconds.
    var invoked: UInt64 = 0
    var returned: UInt64 = 0
    /// The stamp of the value that the operation found, or 0.
    var observed: UInt64 = 0
    /// When a fetch called its closure, or 0.
    var fetched: UInt64 = 0
    /// The stamp of the old value that a fetch got, or 0.
    var old: UInt64 = 0
    /// The time during which a lease was certainly held.
    var heldFrom: UInt64 = 0
    var heldUntil: UInt64 = 0
    /// Whether the process holds a lease until ``mayRelease`` is set.
    var isHolding = false
    var mayRelease = false
    /// The read that the process made after its operation: its times, and the stamp that it found.
    var readInvoked: UInt64 = 0
    var readReturned: UInt64 = 0
    var readObserved: UInt64 = 0
    /// The description of the error that was thrown.
    var error = SharedText()

    /// Whether the error is `quotaExceeded`.
    var isQuotaExceeded = false
    /// Whether the error reports that the lease was lost, or that others held it for too long.
    var isAboutLease = false
}

/// A text of limited length that fits into shared memory.
struct SharedText: BitwiseCopyable {
    private var bytes = InlineArray<600, UInt8>(repeating: 0)

    var text: String {
        get { String(decoding: bytes.indices.map { bytes[$0] }.prefix { $0 != 0 }, as: UTF8.self) }
        set { for (index, byte) in newValue.utf8.prefix(bytes.count - 1).enumerated() { bytes[index] = byte } }
    }
}

/// A value in memory that this process shares with the processes that it forks from now on.
///
/// Its users take turns: a process writes, and the parent reads once the process is stopped or has ended.
final class Shared<Value: BitwiseCopyable>: @unchecked Sendable {
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
