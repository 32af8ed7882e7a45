import Glibc
import Synchronization

/// The counts that all lanes share: the interleavings that were taken, and the findings.
struct Counts: @unchecked Sendable {
    /// For each series: the last stop taken, whether the series has ended, and the number of interleavings played.
    private enum Column: Int, CaseIterable {
        case next, end, played
    }

    private let words: UnsafeMutablePointer<Atomic<Int>>
    private let series: Int

    init(series: Int) {
        let count = 2 + Column.allCases.count * series
        let memory = mmap(
            nil, count * MemoryLayout<Atomic<Int>>.stride, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { fatalError("no memory: errno \(errno)") }
        words = memory.bindMemory(to: Atomic<Int>.self, capacity: count)
        self.series = series
    }

    private func word(_ column: Column, _ series: Int) -> UnsafeMutablePointer<Atomic<Int>> {
        words + 2 + column.rawValue * self.series + series
    }

    /// Takes the next series that no lane has begun.
    func takeSeries() -> Int? {
        let index = words[0].wrappingAdd(1, ordering: .relaxed).oldValue
        return index < series ? index : nil
    }

    /// Takes the next stop of the series that no lane plays, counted from 1.
    func takeStop(of series: Int) -> Int? {
        guard word(.end, series).pointee.load(ordering: .relaxed) == 0 else { return nil }
        let stop = word(.next, series).pointee.wrappingAdd(1, ordering: .relaxed).newValue
        // An operation that makes more calls than this is in an endless loop.
        return stop <= 500 ? stop : nil
    }

    func end(_ series: Int) { word(.end, series).pointee.store(1, ordering: .relaxed) }
    func addInterleaving(of series: Int) { word(.played, series).pointee.wrappingAdd(1, ordering: .relaxed) }
    func addFinding() { words[1].wrappingAdd(1, ordering: .relaxed) }

    var findings: Int { words[1].load(ordering: .relaxed) }
    func interleavings(of series: Int) -> Int { word(.played, series).pointee.load(ordering: .relaxed) }
}
