/// All calls on one item, of an item that was not there at first.
package struct ItemHistory: Sendable, Equatable {
    /// How histories name the item.
    package let name: String
    /// In the order in which they began.
    package let operations: [ItemOperation]

    package init(name: String, operations: [ItemOperation]) {
        self.name = name
        self.operations = operations.sorted { $0.invoked < $1.invoked }
    }
}
