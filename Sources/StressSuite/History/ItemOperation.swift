import Keyutils

/// One call of one worker, as far as it concerns one item.
///
/// A call on all items, such as a clear, becomes one operation for each item.
package struct ItemOperation: Sendable, Equatable, Codable {
    /// The effect of the call on the item, or its observation of it.
    package enum Effect: Sendable, Equatable, Codable {
        /// A get that found this value, or no item.
        case read(Stamp?)
        /// A list, or an add that was refused, which saw whether there is an item.
        case look(isThere: Bool)
        /// A set. The timeout is in whole seconds, as in the kernel; `nil` for no timeout.
        case write(Stamp, timeout: UInt32?)
        /// An add: a write that succeeds only if the item is absent.
        case create(Stamp, timeout: UInt32?)
        /// A delete, which reported whether there was an item; `nil` if its worker was killed.
        case remove(found: Bool?)
        /// A clear.
        case wipe
        /// An update, which replaced this old value, or no item, with the new value.
        case replace(Stamp?, by: Stamp, timeout: UInt32?)
        /// An update whose worker was killed, so that the value it had read is unknown.
        case change(to: Stamp, timeout: UInt32?)
    }

    package let worker: UInt32
    package let effect: Effect
    /// When the call began, in nanoseconds of `CLOCK_MONOTONIC`, which all processes share.
    package let invoked: UInt64
    /// When the call returned; if its worker was killed, a time when that worker was certainly dead.
    package let returned: UInt64
    /// False if the worker was killed during the call: the call took effect before `returned`, or never.
    package let isCertain: Bool

    package init(worker: UInt32, effect: Effect, invoked: UInt64, returned: UInt64, isCertain: Bool = true) {
        self.worker = worker
        self.effect = effect
        self.invoked = invoked
        self.returned = returned
        self.isCertain = isCertain
    }
}

/// All calls on one item, which did not exist at the beginning.
package struct ItemHistory: Sendable, Equatable {
    /// The name of the item in histories.
    package let name: String
    /// The calls, in the order in which they began.
    package let operations: [ItemOperation]
    /// How many calls this history adds to a total; a call on all items, such as a clear, counts only for one item.
    let calls: Int

    package init(name: String, operations: [ItemOperation], calls: Int? = nil) {
        self.name = name
        self.operations = operations.sorted { $0.invoked < $1.invoked }
        self.calls = calls ?? operations.count
    }
}
