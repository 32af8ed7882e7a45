/// Every value that was found had been written, by a call that had begun before the one that found it returned.
///
/// A write whose actor was killed in it counts: it may have taken effect.
struct WrittenValuesCheck: HistoryCheck {
    static let statement = "no value is found that nobody wrote"
    static let subject = "values found"

    static func check(_ history: ItemHistory, _ writers: Writers) -> Finding {
        var looked = 0
        for call in history.operations {
            guard let stamp = call.found else { continue }
            looked += 1
            guard let writer = writers[stamp].map({ history.operations[$0] }) else {
                let reason = "nobody wrote \(stamp), which actor \(call.actor) found"
                return Finding(looked: looked, verdict: .violation(Violation(reason: reason, smallest: [call])))
            }
            if writer.invoked > call.returned {
                let reason = "actor \(call.actor) found \(stamp) before its write began"
                return Finding(
                    looked: looked, verdict: .violation(Violation(reason: reason, smallest: [call, writer])))
            }
        }
        return Finding(looked: looked, verdict: .holds)
    }
}
