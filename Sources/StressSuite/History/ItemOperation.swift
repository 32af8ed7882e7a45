/// One call of one worker, as far as it concerns one item.
///
/// A call on all items, such as a clear, is one of these for each of them.
package struct ItemOperation: Sendable, Equatable, Codable {
    /// What the call did to the item, or saw of it.
    package enum Effect: Sendable, Equatable, Codable {
        /// A get that found this value, or none.
        case read(Stamp?)
        /// A list, or an add that was refused, which saw the item or saw that there is none.
        case look(isThere: Bool)
        /// A set. The timeout is in whole seconds, as the kernel has it; `nil` for none.
        case write(Stamp, timeout: UInt32?)
        /// An add: a write that succeeds only where there is no item.
        case create(Stamp, timeout: UInt32?)
        /// A delete, which says whether there was an item; `nil` where its worker was killed.
        case remove(found: Bool?)
        /// A clear.
        case wipe
        /// An update, which wrote the new value in the place of this old one, or of none.
        case replace(Stamp?, by: Stamp, timeout: UInt32?)
        /// An update whose worker was killed, so that it is unknown what it had read.
        case change(to: Stamp, timeout: UInt32?)
    }

    package let worker: UInt32
    package let effect: Effect
    /// When the call began, in nanoseconds of `CLOCK_MONOTONIC`, which all processes share.
    package let invoked: UInt64
    /// When it returned; of a call whose worker was killed, when that worker was surely dead.
    package let returned: UInt64
    /// False for a call whose worker was killed in it: it took effect before `returned`, or never.
    package let isCertain: Bool

    package init(worker: UInt32, effect: Effect, invoked: UInt64, returned: UInt64, isCertain: Bool = true) {
        self.worker = worker
        self.effect = effect
        self.invoked = invoked
        self.returned = returned
        self.isCertain = isCertain
    }
}

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
