import CTestFilters
import Glibc
import Keyutils
import SessionKeyringTesting
import Testing
import Threads

@Suite("State that threads share", .tags(.threads))
struct LockBoxTests {
    @Test("no increment is lost")
    func exclusive() { increment(1_000) }

    @Test("none of 40,000 increments is lost", .tags(.long))
    func exclusiveForLong() { increment(5_000) }

    /// Increments a number this many times in each of 8 threads.
    private func increment(_ times: Int) {
        let box = LockBox(0)
        ThreadTeam.run(8) { _ in
            for _ in 0..<times {
                box.withLock { count in
                    let before = count
                    // Lets other threads run. They must wait for this thread's lock.
                    sched_yield()
                    count = before + 1
                }
            }
        }
        #expect(box.withLock { $0 } == 8 * times)
    }

    @Test("a lock box frees its memory, and releases its state")
    func ends() async {
        await #expect(processExitsWith: .success) {
            final class State {}
            weak var state: State?
            func use() {
                let object = State()
                state = object
                let box = LockBox(object)
                #expect(box.withLock { $0 === object })
            }
            use()
            #expect(state == nil)
            for _ in 0..<100 { _ = LockBox(0) }
            let before = test_heap_size()
            for _ in 0..<10_000 { _ = LockBox(0) }
            #expect(test_heap_size() - before < 100_000)
        }
    }
}
