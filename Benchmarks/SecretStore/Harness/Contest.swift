/// Runs the store and its baseline in turns, on the same keys.
///
/// If other programs use the machine as well, both sides suffer equally, so that the effect cancels out in the ratio.
struct Contest {
    /// Makes this many calls, and returns how long they took.
    typealias Side = (_ calls: Int) throws -> Duration

    let baseline: Side
    let work: Side
    /// Waits until the effects of earlier turns have ended.
    var settle: () throws -> Void = {}

    /// Takes one sample, which consists of this many turns of each side.
    func run(calls: Int, turns: Int) throws -> (baseline: Duration, work: Duration) {
        var total = (baseline: Duration.zero, work: Duration.zero)
        for turn in 0..<turns {
            // Each side goes first in every second turn.
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

    /// A side that times all calls together, after a preparation that is not timed.
    static func repeating(after prepare: @escaping () throws -> Void = {}, _ body: @escaping () throws -> Void) -> Side
    {
        { calls in
            try prepare()
            return try ContinuousClock().measure { for _ in 0..<calls { try body() } }
        }
    }
}
