/// No reader finds a value again after it was gone, nor one that was surely displaced by what the reader saw before.
///
/// Each value is in the item for one stretch of time. A reader that saw it, then something else, and then it again,
/// went back; so did one that saw a value whose write was over before the write of a value seen earlier began. Reads
/// of one reader that touch in time are not compared.
struct ReaderOrderCheck: HistoryCheck {
    static let statement = "no read is older than what the same reader saw before"
    static let subject = "reads"

    static func check(_ history: ItemHistory, _ writers: Writers) -> Finding {
        var readers: [UInt32: Reader] = [:]
        var looked = 0
        for (index, call) in history.operations.enumerated() {
            guard call.isCertain, case .read(let stamp) = call.effect else { continue }
            looked += 1
            let writer = stamp.flatMap { writers[$0] }.map { history.operations[$0] }
            let read = Read(index: index, call: call, stamp: stamp, writer: writer)
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

    /// What one reader has seen.
    private struct Reader {
        /// Reads that may not be over when the next one begins.
        private var open: [Read] = []
        private var last: Read?
        /// The read whose value was written last, as far as times tell.
        private var newest: Read?
        /// For each value that was seen and then no more: the read that saw it, and one that saw something else.
        private var gone: [Stamp: (seen: Int, after: Int)] = [:]

        /// - Returns: the calls that show that it went back.
        mutating func add(_ read: Read, _ history: ItemHistory, _ writers: Writers) -> [ItemOperation]? {
            for earlier in open where earlier.call.returned < read.call.invoked { close(earlier) }
            open.removeAll { $0.call.returned < read.call.invoked }
            open.append(read)
            guard let stamp = read.stamp, let writer = read.writer else { return nil }
            if let (seen, after) = gone[stamp] {
                let between = history.operations[after]
                let other = between.found.flatMap { writers[$0] }.map { history.operations[$0] }
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
