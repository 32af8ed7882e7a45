import Foundation
import Testing
import Threads

@Suite("Threads that start together")
struct ThreadTeamTests {
    /// An object that takes a while to be destroyed.
    private final class Slow: Sendable {
        let isGone: Locked<Bool>
        init(_ isGone: Locked<Bool>) { self.isGone = isGone }
        deinit {
            usleep(20_000)
            isGone.withLock { $0 = true }
        }
    }

    @Test("a thread has released what its closure refers to when it leaves its group")
    func released() {
        let (isGone, group, go) = (Locked(false), DispatchGroup(), DispatchSemaphore(value: 0))
        do {
            let slow = Slow(isGone)
            ThreadTeam.start(in: group) {
                go.wait()
                _ = slow.isGone
            }
        }
        // The thread has the last reference.
        go.signal()
        group.wait()
        #expect(isGone.withLock { $0 })
    }
}
