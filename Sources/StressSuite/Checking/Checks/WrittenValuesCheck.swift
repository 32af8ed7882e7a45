/// Checks that each found value was written by a call that began before the finding call returned.
///
/// A write whose worker was killed during it counts as well, because it can have taken effect.
struct WrittenValuesCheck: HistoryCheck {
    static let statement = "no read finds a value that nobody wrote"
    static let subject = "values found"

    static func check(_ history: ItemHistory, _ writers: Writers) -> Finding {
        var looked = 0
        for call in history.operations {
            guard let stamp = call.found else { continue }
            looked += 1
            guard let writer = writers[stamp] else {
                return .violation(
                    "worker \(call.worker) found \(stamp), which nobody wrote", by: [call], looked: looked)
            }
            if writer.invoked > call.returned {
                let reason = "worker \(call.worker) found \(stamp) before its write began"
                return .violation(reason, by: [call, writer], looked: looked)
            }
        }
        return Finding(looked: looked)
    }
}
