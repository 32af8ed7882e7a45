/// The content of a scene: the state that two processes find, their operations, and the checks afterwards.
protocol Play {
    /// The number of processes: two, or a third one that runs while both others are stopped.
    var count: Int { get }

    /// Runs an operation in its process; `begin` is called when the process's calls are to be counted.
    ///
    /// - Parameter index: 0 for the first process, 1 for the second, 2 for the third.
    func run(_ index: Int, begin: () -> Void)

    /// The time after which every lease that the first process may hold has ended, in microseconds.
    var outlasting: UInt32 { get }
    /// Whether the second process holds a lease and waits until it may release it.
    var isSecondHolding: Bool { get }

    /// Lets the second process release the lease that it holds.
    ///
    /// - Parameter isFirstKilled: whether the first process is dead.
    /// - Returns: the problems that were found while the second process held the lease.
    func endHolding(isFirstKilled: Bool) -> [String]

    /// Returns the checks that fail after both operations, with a few lines each.
    func problems(of meeting: Meeting) throws -> [String]
}

extension Play {
    var count: Int { 2 }
    var isSecondHolding: Bool { false }
    func endHolding(isFirstKilled: Bool) -> [String] { [] }
}

/// How two processes met.
struct Meeting {
    /// The time at which the first process was certainly dead, if it was killed.
    let killedAt: UInt64?
    /// Whether the second operation waited for the first one, as far as the scene could see.
    let hasSecondWaited: Bool
    /// Whether the third operation waited for the others.
    let hasThirdWaited: Bool
}
