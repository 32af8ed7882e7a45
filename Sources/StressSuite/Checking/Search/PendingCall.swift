/// A set of calls in flight, with one bit for each.
typealias CallSet = UInt128

/// A call that has begun and not yet ended, as the search sees it.
struct PendingCall {
    enum Kind: UInt16 {
        /// A write that succeeds in any state of the item.
        case write
        /// A write that succeeds only if the item is absent.
        case create
        /// A write that succeeds only if the item has a certain value.
        case replace
        /// A removal that succeeds in any state of the item.
        case wipe
        /// A removal that found an item.
        case remove
        /// A call that saw no item.
        case absence
        /// A call that saw an item.
        case presence
    }

    let kind: Kind
    /// The index of the call in the history.
    let operation: Int
    let invoked: UInt64
    /// The latest time at which the call can have taken effect.
    let deadline: UInt64
    /// The identifier of the value that the call writes.
    let value: Int32
    /// The identifier of the value that a replace found.
    let old: Int32
    /// The call's bit; 0 for a call that changes nothing.
    let bit: CallSet
    /// Whether the call certainly took effect.
    let isCertain: Bool
}

extension PendingCall.Kind {
    /// Classifies a call.
    ///
    /// - Returns: `nil` for a call that reveals nothing, or nothing that ``ValueTable`` does not already know.
    init?(_ call: ItemOperation) {
        switch call.effect {
        case .read(let stamp):
            guard call.isCertain, stamp == nil else { return nil }
            self = .absence
        case .look(let isThere):
            guard call.isCertain else { return nil }
            self = isThere ? .presence : .absence
        case .write, .change: self = .write
        case .create: self = .create
        case .replace(let old, _, _):
            // It is unknown what the update of a killed worker had read.
            self = !call.isCertain ? .write : old == nil ? .create : .replace
        case .remove(let found):
            self = !call.isCertain || found == nil ? .wipe : found == true ? .remove : .absence
        case .wipe: self = .wipe
        }
    }
}
