/// Pauses between attempts: longer each time, up to a limit.
struct Backoff {
    private var pause: Duration
    private let limit: Duration

    init(from first: Duration, upTo limit: Duration) {
        self.pause = first
        self.limit = limit
    }

    /// The next pause.
    ///
    /// Up to a quarter of it is left to chance, so that processes which began to wait together don't return together.
    mutating func next() -> Duration {
        defer { pause = min(pause * 2, limit) }
        return pause - pause * Int.random(in: 0...255) / 1_024
    }
}
