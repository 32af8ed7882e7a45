/// How long to wait between looks at what others hold: longer each time, up to a limit.
package struct Backoff {
    private var pause: Duration
    private let limit: Duration

    package init(from first: Duration, upTo limit: Duration) {
        self.pause = first
        self.limit = limit
    }

    /// For what others hold as long as their own work takes: 1 ms at first, 50 ms at most.
    package static var long: Backoff { Backoff(from: .milliseconds(1), upTo: .milliseconds(50)) }

    /// For what others hold for a handful of system calls.
    package static var short: Backoff { Backoff(from: .microseconds(20), upTo: .milliseconds(5)) }

    /// For a refusal that may be the kernel's mistake.
    static var refusal: Backoff { Backoff(from: .microseconds(50), upTo: .microseconds(1_600)) }

    /// The next pause.
    ///
    /// Up to a quarter of it is left to chance, so that those who began to wait together don't come back together.
    package mutating func next() -> Duration {
        defer { pause = min(pause * 2, limit) }
        return pause - pause * Int.random(in: 0...255) / 1_024
    }
}
