/// Checks that no call finds a value if the call began after that value must have expired.
struct LifetimeCheck: HistoryCheck {
    static let statement = "no value outlives its timeout"
    static let subject = "found values with a timeout"

    static func check(_ history: ItemHistory, _ writers: Writers) -> Finding {
        var looked = 0
        for call in history.operations {
            guard let stamp = call.found, let writer = writers[stamp], writer.timeout != nil else { continue }
            looked += 1
            let latest = Expiry.latest(of: writer)
            if call.invoked > latest {
                let late = (call.invoked - latest) / 1_000
                let reason = "worker \(call.worker) found \(stamp) \(late) us after it expired"
                return .violation(reason, by: [writer, call], looked: looked)
            }
        }
        return Finding(looked: looked)
    }
}
