import Threads

extension Locked {
    /// Replaces the state, and returns the previous state.
    func exchange(_ state: State) -> State {
        withLock { current in
            defer { current = state }
            return current
        }
    }
}
