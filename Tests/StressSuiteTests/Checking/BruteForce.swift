@testable import StressSuite

/// Tries all orders of a small history.
///
/// It shares only the types with the checker.
///
/// A value's expiry is a separate event here, with its earliest and its latest time.
struct BruteForce {
    private enum Event {
        case call(ItemOperation)
        case death(Stamp)
    }

    private struct Entry {
        let event: Event
        let begin: UInt64
        let end: UInt64
    }

    private struct Visited: Hashable {
        let left: UInt64
        let state: Stamp?
        let dead: Set<Stamp>
    }

    private let entries: [Entry]
    private var visited: Set<Visited> = []

    private init(_ entries: [Entry]) {
        self.entries = entries
    }

    static func isLinearizable(_ calls: [ItemOperation]) -> Bool {
        let certain = calls.filter(\.isCertain)
        let uncertain = calls.filter { !$0.isCertain }
        return (0..<1 << uncertain.count).contains { choice in
            let taken = uncertain.indices.filter { choice >> $0 & 1 == 1 }.map { uncertain[$0] }
            var search = BruteForce((certain + taken).flatMap(entries))
            return search.canFinish(UInt64(1) << UInt64(search.entries.count) - 1, state: nil, dead: [])
        }
    }

    private static func entries(of call: ItemOperation) -> [Entry] {
        let entry = Entry(event: .call(call), begin: call.invoked, end: call.returned)
        let second = 1_000_000_000
        switch call.effect {
        case .write(let stamp, let seconds?), .create(let stamp, let seconds?), .replace(_, let stamp, let seconds?),
            .change(let stamp, let seconds?):
            let earliest = Int(call.invoked) + (Int(seconds) - 1) * second - Int(Expiry.slack)
            let latest = Int(call.returned) + Int(seconds) * second + Int(Expiry.slack)
            return [entry, Entry(event: .death(stamp), begin: UInt64(max(0, earliest)), end: UInt64(latest))]
        default: return [entry]
        }
    }

    private mutating func canFinish(_ left: UInt64, state: Stamp?, dead: Set<Stamp>) -> Bool {
        if left == 0 { return true }
        guard visited.insert(Visited(left: left, state: state, dead: dead)).inserted else { return false }
        let open = entries.indices.filter { left >> UInt64($0) & 1 == 1 }
        let firstEnd = open.map { entries[$0].end }.min() ?? 0
        for index in open where entries[index].begin <= firstEnd {
            let rest = left & ~(1 << UInt64(index))
            switch entries[index].event {
            case .death(let stamp):
                if canFinish(rest, state: state == stamp ? nil : state, dead: dead.union([stamp])) { return true }
            case .call(let call):
                guard case .some(let next) = Self.state(after: call, in: state) else { continue }
                let isDead = next.map(dead.contains) ?? false
                if canFinish(rest, state: isDead ? nil : next, dead: dead) { return true }
            }
        }
        return false
    }

    /// Returns the state after the call.
    ///
    /// The outer optional is `nil` if the call is impossible.
    private static func state(after call: ItemOperation, in state: Stamp?) -> Stamp?? {
        switch call.effect {
        case .read(let stamp): !call.isCertain || stamp == state ? .some(state) : nil
        case .look(let isThere): !call.isCertain || isThere == (state != nil) ? .some(state) : nil
        case .write(let stamp, _), .change(let stamp, _): .some(stamp)
        case .create(let stamp, _): state == nil ? .some(stamp) : nil
        case .replace(let old, let stamp, _): !call.isCertain || state == old ? .some(stamp) : nil
        case .remove(let found): !call.isCertain || found == nil || found == (state != nil) ? .some(nil) : nil
        case .wipe: .some(nil)
        }
    }
}
