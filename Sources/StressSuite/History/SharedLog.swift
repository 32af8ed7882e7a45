import Glibc
import Synchronization

/// The memory that all workers of a run share: their configuration, the phase of the run, and their logs.
///
/// Because the memory is shared, a worker's log outlives the process that wrote it.
@safe final class SharedLog: Sendable {
    enum Phase: UInt64 {
        case waiting, running, stopping
    }

    private static let logsOffset = 65_536
    private static let planOffset = 1_024

    let memory: SharedMemory
    let slots: Int
    /// How many calls fit into one log.
    let capacity: Int

    /// Creates an empty shared log.
    init(slots: Int, capacity: Int, plan: [UInt8]) throws(StressError) {
        self.slots = slots
        self.capacity = capacity
        memory = try SharedMemory(size: Self.logsOffset + slots * CallLog.size(capacity: capacity))
        guard Self.planOffset + plan.count <= Self.logsOffset else {
            throw StressError(.invalidPlan, "the plan is too long for the log")
        }
        for (index, number) in [slots, capacity, plan.count].enumerated() {
            unsafe memory.base.storeBytes(of: number, toByteOffset: 8 * index, as: Int.self)
        }
        unsafe plan.withUnsafeBytes { text in
            unsafe UnsafeMutableRawBufferPointer(start: memory.base + Self.planOffset, count: text.count)
                .copyMemory(from: text)
        }
    }

    /// Opens the shared log that a descriptor refers to, and takes ownership of the descriptor.
    init(descriptor: CInt) throws(StressError) {
        memory = try SharedMemory(descriptor: descriptor)
        slots = unsafe memory.base.load(fromByteOffset: 0, as: Int.self)
        capacity = unsafe memory.base.load(fromByteOffset: 8, as: Int.self)
        guard Self.logsOffset + slots * CallLog.size(capacity: capacity) == memory.size else {
            throw StressError(.workerFailed, "a worker was started with memory that is not the log of a run")
        }
    }

    /// The encoded plan with which the log was created.
    var plan: [UInt8] {
        let count = unsafe memory.base.load(fromByteOffset: 16, as: Int.self)
        return unsafe [UInt8](UnsafeRawBufferPointer(start: memory.base + Self.planOffset, count: count))
    }

    /// Whether the workers wait, run or stop.
    var phase: Phase {
        get { Phase(rawValue: unsafe word(64).pointee.load(ordering: .acquiring)) ?? .stopping }
        set { unsafe word(64).pointee.store(newValue.rawValue, ordering: .releasing) }
    }

    /// How many workers are ready.
    var ready: Int { Int(unsafe word(128).pointee.load(ordering: .acquiring)) }

    func standReady() {
        unsafe word(128).pointee.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }

    /// The log of the worker in this slot.
    func log(_ slot: Int) -> CallLog {
        precondition(slot < slots)
        return unsafe CallLog(
            start: memory.base + Self.logsOffset + slot * CallLog.size(capacity: capacity), capacity: capacity)
    }

    /// Empties all logs for another round.
    func reset() throws(StressError) {
        try memory.discard(from: Self.logsOffset)
        unsafe word(128).pointee.store(0, ordering: .releasing)
        phase = .waiting
    }

    /// The atomic word at this offset, on its own cache line because many threads read it.
    private func word(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        unsafe (memory.base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }
}
