/// Calls on an item that can't have been as they were.
package struct Violation: Sendable, Equatable {
    /// One line that names the call which can't be explained.
    package let reason: String
    /// Calls that show it by themselves, in the order in which they began.
    ///
    /// Every other call of the history may have taken effect or not. An update that is a mere `change` here is one for which
    /// it does not matter what it found.
    package let smallest: [ItemOperation]

    init(reason: String, smallest: [ItemOperation]) {
        self.reason = reason
        self.smallest = smallest.sorted { ($0.invoked, $0.returned) < ($1.invoked, $1.returned) }
    }

    /// The calls as text, a line each, with a picture of which of them overlap.
    package var lines: [String] { HistoryText(smallest).lines }
}
