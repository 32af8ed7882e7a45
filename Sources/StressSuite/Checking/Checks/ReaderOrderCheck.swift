/// Checks that no reader goes back to a value that was already gone, or already displaced by a later one.
///
/// The item has each value for one continuous stretch of time. A reader went back if it saw a value, then something
/// else, and then the first value again. It also went back if it saw a newer value first, and then a value whose
/// write had already returned when the write of the newer one began. Reads of the same reader that touch in time are
/// not compared.
struct ReaderOrderCheck: HistoryCheck {
    static let statement = "no reader goes back to an older value"
    static let subject = "reads"

    static func check(_ history: ItemHistory, _ writers: Writers) -> Finding {
        var readers: [UInt32: Reader] = [:]
        var looked = 0
        for (index, call) in history.operations.enumerated() {
            guard call.isCertain, case .read(let stamp) = call.effect else { continue }
            looked += 1
            let read = Read(index: index, call: call, stamp: stamp, writer: stamp.flatMap { writers[$0] })
            if let calls = readers[call.worker, default: Reader()].add(read, history, writers) {
                let reason = "worker \(call.worker) went back to \(stamp.map(\.description) ?? "nothing")"
                return .violation(reason, by: calls, looked: looked)
            }
        }
        return Finding(looked: looked)
    }

    private struct Read {
        let index: Int
        let call: ItemOperation
        let stamp: Stamp?
        let writer: ItemOperation?
    }

    /// The reads of one reader so far.
    private struct Reader {
        /// Reads that can overlap the next one.
        private var open: [Read] = []
        private var last: Read?
        /// The read whose value was written last, as far as the times show.
        private var newest: Read?
        /// For each value that was seen and then gone: the read that saw it, and one that saw something else.
        private var gone: [Stamp: (seen: Int, after: Int)] = [:]

        /// Adds a read.
        ///
        /// - Returns: if the reader went back, the calls that show it.
        mutating func add(_ read: Read, _ history: ItemHistory, _ writers: Writers) -> [ItemOperation]? {
            for earlier in open where earlier.call.returned < read.call.invoked { close(earlier) }
            open.removeAll { $0.call.returned < read.call.invoked }
            open.append(read)
            guard let stamp = read.stamp, let writer = read.writer else { return nil }
            if let (seen, after) = gone[stamp] {
                let between = history.operations[after]
                let other = between.found.flatMap { writers[$0] }
                return [writer, history.operations[seen], between, read.call] + (other.map { [$0] } ?? [])
            }
            guard let newest, let newer = newest.writer, writer.returned < newer.invoked else { return nil }
            return [writer, newer, newest.call, read.call]
        }

        private mutating func close(_ read: Read) {
            if let last, let stamp = last.stamp, stamp != read.stamp, last.call.returned < read.call.invoked {
                gone[stamp] = (last.index, read.index)
            }
            last = read
            guard let writer = read.writer else { return }
            if writer.invoked > newest?.writer?.invoked ?? 0 { newest = read }
        }
    }
}
