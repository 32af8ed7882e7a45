/// All calls on one item, of an item that was not there at first.
package struct ItemHistory: Sendable, Equatable {
    /// How histories name the item.
    package let name: String
    /// In the order in which they began.
    package let operations: [ItemOperation]
    /// How many calls these are in a count of all: a call on all items, such as a clear, counts for one of them.
    let calls: Int

    package init(name: String, operations: [ItemOperation], calls: Int? = nil) {
        self.name = name
        self.operations = operations.sorted { $0.invoked < $1.invoked }
        self.calls = calls ?? operations.count
    }
}
