/// The store and its baseline on the same keys, in turns: what both suffer from, on a machine that others use too, cancels out
/// in the ratio.
struct Contest {
    /// Does something that many times, and tells how long that took.
    typealias Side = (_ calls: Int) throws -> Duration

    let baseline: Side
    let work: Side
    /// Waits until nothing is left to be done of what earlier turns did.
    var settle: () throws -> Void = {}

    /// One sample, of so many turns of each side.
    func run(calls: Int, turns: Int) throws -> (baseline: Duration, work: Duration) {
        var total = (baseline: Duration.zero, work: Duration.zero)
        for turn in 0..<turns {
            // Each is as often the first as it is the second.
            if turn.isMultiple(of: 2) {
                total.baseline += try baseline(calls)
                total.work += try work(calls)
            } else {
                total.work += try work(calls)
                total.baseline += try baseline(calls)
            }
        }
        return total
    }

    /// Times all calls together, after a preparation that is not timed.
    static func repeating(after prepare: @escaping () throws -> Void = {}, _ body: @escaping () throws -> Void) -> Side
    {
        { calls in
            try prepare()
            return try ContinuousClock().measure { for _ in 0..<calls { try body() } }
        }
    }
}
