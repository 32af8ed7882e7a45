import Keyutils

/// Calls on an item whose logged outcomes are impossible.
package struct Violation: Sendable, Equatable {
    /// One line that names the call that can't be explained.
    package let reason: String
    /// The calls that are involved, in the order in which they began.
    package let calls: [ItemOperation]

    init(reason: String, calls: [ItemOperation]) {
        self.reason = reason
        self.calls = calls.sorted { ($0.invoked, $0.returned) < ($1.invoked, $1.returned) }
    }

    /// The calls as text, one per line, with a picture that shows which of them overlap.
    package var lines: [String] { HistoryText(calls).lines }
}

/// A small history as text.
///
///     worker 1  set 1.1            0.000 ..  2.000 us  |--|
///     worker 2  get found nothing  3.000 ..  4.000 us        |--|
///
/// Times count from the first beginning. The picture keeps the order of beginnings and ends, but not their distances.
/// Calls that touch or overlap in it are concurrent. If a call ends in `?`, its worker was killed during the call.
struct HistoryText {
    private let calls: [ItemOperation]
    /// All beginnings and ends, without duplicates.
    private let times: [UInt64]
    private static let widest = 48

    init(_ calls: [ItemOperation]) {
        self.calls = calls
        times = Set(calls.flatMap { [$0.invoked, $0.returned] }).sorted()
    }

    var lines: [String] {
        let workers = column(calls.map { "worker \($0.worker)" })
        let effects = column(calls.map(\.summary))
        let begins = column(calls.map { microseconds($0.invoked) }, toRight: true)
        let ends = column(calls.map { microseconds($0.returned) }, toRight: true)
        return calls.indices.map { index in
            "\(workers[index])  \(effects[index])  \(begins[index]) .. \(ends[index]) us  \(bar(calls[index]))"
        }
    }

    private func column(_ cells: [String], toRight: Bool = false) -> [String] {
        let width = cells.map(\.count).max() ?? 0
        return cells.map { cell in
            let space = String(repeating: " ", count: width - cell.count)
            return toRight ? space + cell : cell + space
        }
    }

    private func microseconds(_ time: UInt64) -> String {
        let nanoseconds = time - (times.first ?? 0)
        return "\(nanoseconds / 1_000).\(String(nanoseconds % 1_000 + 1_000).dropFirst())"
    }

    private func bar(_ call: ItemOperation) -> String {
        let begin = place(of: call.invoked)
        let end = place(of: call.returned)
        let last = call.isCertain ? "|" : "?"
        let space = String(repeating: " ", count: begin)
        return begin == end ? space + last : space + "|" + String(repeating: "-", count: end - begin - 1) + last
    }

    private func place(of time: UInt64) -> Int {
        let rank = times.firstIndex(of: time) ?? 0
        return times.count * 3 <= Self.widest ? rank * 3 : rank * Self.widest / times.count
    }
}

extension ItemOperation {
    /// The effect or the observation of the call, in a few words.
    var summary: String {
        let killed = isCertain ? "" : " (killed)"
        switch effect {
        case .read(let stamp): return "get found \(text(stamp))" + killed
        case .look(let isThere): return (isThere ? "list or add found it" : "list found nothing") + killed
        case .write(let stamp, let timeout): return "set \(stamp)\(text(timeout))" + killed
        case .create(let stamp, let timeout): return "add \(stamp)\(text(timeout))" + killed
        case .remove(let found):
            guard let found, isCertain else { return "delete" + killed }
            return found ? "delete found it" : "delete found nothing"
        case .wipe: return "clear" + killed
        case .replace(let old, let stamp, let timeout):
            return "update \(text(old)) to \(stamp)\(text(timeout))" + killed
        case .change(let stamp, let timeout): return "update to \(stamp)\(text(timeout))" + killed
        }
    }

    private func text(_ stamp: Stamp?) -> String { stamp.map(\.description) ?? "nothing" }
    private func text(_ timeout: UInt32?) -> String { timeout.map { " for \($0) s" } ?? "" }
}
