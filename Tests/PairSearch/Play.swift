/// The content of a scene: the state that two processes find, their operations, and the checks afterwards.
protocol Play {
    /// Runs an operation in its process; `begin` is called when its calls are to be counted.
    ///
    /// - Parameter index: 0 for the first process, 1 for the second.
    func run(_ index: Int, begin: () -> Void)

    /// Microseconds after which each lease that the first process may hold has ended.
    var outlasting: UInt32 { get }
    /// Whether the second process holds a lease and waits until it may release it.
    var isSecondHolding: Bool { get }

    /// Lets the second process release what it holds.
    ///
    /// - Parameter isFirstKilled: whether the first process is dead.
    /// - Returns: what is wrong while the second process holds it.
    func endHolding(isFirstKilled: Bool) -> [String]

    /// The checks that fail after both operations, a few lines each.
    func problems(of meeting: Meeting) throws -> [String]
}

extension Play {
    var isSecondHolding: Bool { false }
    func endHolding(isFirstKilled: Bool) -> [String] { [] }
}

/// How two processes met.
struct Meeting {
    /// When the first process was killed, and was surely dead.
    let killedAt: UInt64?
    /// Whether the second operation was seen to wait for the first.
    let hasSecondWaited: Bool
}
