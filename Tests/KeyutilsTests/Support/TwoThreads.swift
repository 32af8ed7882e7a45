import Threads

/// Runs `work` in one thread, and `other` in a second thread again and again until `work` has ended.
func during(
    _ work: @escaping @Sendable () throws -> Void, meanwhile other: @escaping @Sendable () throws -> Void
) throws {
    let isOver = Locked(false)
    try ThreadTeam.run(2) { thread in
        if thread == 0 {
            defer { isOver.withLock { $0 = true } }
            try work()
        } else {
            repeat { try other() } while !isOver.withLock { $0 }
        }
    }
}
