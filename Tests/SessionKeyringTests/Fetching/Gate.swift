import Threads

/// A gate that suspends tasks until `open()` is called; cancellation does not resume them.
final class Gate: Sendable {
    private let state = Locked((isOpen: false, waiters: [CheckedContinuation<Void, Never>]()))

    func wait() async {
        await withCheckedContinuation { waiter in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(waiter) }
                return state.isOpen
            }
            if isOpen { waiter.resume() }
        }
    }

    func awaitWaiter() async {
        while state.withLock({ $0.waiters.isEmpty }) { try? await Task.sleep(for: .milliseconds(1)) }
    }

    func open() {
        let waiters = state.withLock { state in
            defer { state = (true, []) }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
