import Synchronization

/// The log of one worker's calls, in shared memory.
///
/// One thread writes the log. Others can read its complete calls at any time. If a worker's process is killed, the next
/// process continues the same log.
@safe struct CallLog: @unchecked Sendable {
    private static let headerSize = 128

    private let start: UnsafeMutableRawPointer
    let capacity: Int

    static func size(capacity: Int) -> Int {
        // Whole pages, so that no two workers write to the same page.
        (headerSize + capacity * MemoryLayout<CallRecord>.stride + 4_095) / 4_096 * 4_096
    }

    init(start: UnsafeMutableRawPointer, capacity: Int) {
        unsafe self.start = start
        self.capacity = capacity
    }

    /// How many calls have begun.
    var count: Int { Int(unsafe word(0).pointee.load(ordering: .acquiring)) }
    /// Whether there is room for another step, which can consist of several calls.
    var hasRoom: Bool { count + 8 <= capacity }

    /// How often the worker's process was started before.
    ///
    /// It is set before the process starts.
    var incarnation: Int {
        get { Int(unsafe word(8).pointee.load(ordering: .acquiring)) }
        nonmutating set { unsafe word(8).pointee.store(UInt64(newValue), ordering: .releasing) }
    }

    /// How many steps the worker has begun, in all its incarnations.
    ///
    /// A step is one call, or several calls that belong together.
    var steps: Int {
        get { Int(unsafe word(32).pointee.load(ordering: .acquiring)) }
        nonmutating set { unsafe word(32).pointee.store(UInt64(newValue), ordering: .releasing) }
    }

    /// The number of steps after which the worker ends by itself; 0 for no limit.
    var limit: Int {
        get { Int(unsafe word(16).pointee.load(ordering: .acquiring)) }
        nonmutating set { unsafe word(16).pointee.store(UInt64(newValue), ordering: .releasing) }
    }

    /// Whether the worker has ended by itself.
    var isFinished: Bool {
        get { unsafe word(24).pointee.load(ordering: .acquiring) != 0 }
        nonmutating set { unsafe word(24).pointee.store(newValue ? 1 : 0, ordering: .releasing) }
    }

    /// How many calls have thrown.
    var errors: Int {
        get { Int(unsafe word(40).pointee.load(ordering: .relaxed)) }
        nonmutating set { unsafe word(40).pointee.store(UInt64(newValue), ordering: .relaxed) }
    }

    /// Logs the beginning of a call; there must be room for it.
    func begin(_ record: CallRecord) -> Int {
        let index = count
        precondition(index < capacity)
        unsafe pointer(index).initialize(to: record)
        unsafe word(0).pointee.store(UInt64(index + 1), ordering: .releasing)
        return index
    }

    /// Changes a call that has begun.
    ///
    /// The return time is written last, so that a reader that sees it also sees all other fields.
    func change(_ index: Int, _ record: CallRecord) {
        var open = record
        open.returned = 0
        unsafe pointer(index).pointee = open
        unsafe returnTime(index).pointee.store(record.returned, ordering: .releasing)
    }

    /// A call of a worker that has ended.
    subscript(_ index: Int) -> CallRecord {
        unsafe pointer(index).pointee
    }

    private func pointer(_ index: Int) -> UnsafeMutablePointer<CallRecord> {
        unsafe (start + Self.headerSize).assumingMemoryBound(to: CallRecord.self) + index
    }

    private func returnTime(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        let offset = Self.headerSize + index * MemoryLayout<CallRecord>.stride + CallRecord.returnOffset
        return unsafe (start + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    private func word(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        unsafe (start + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }
}
