/// Calls in flight, a bit each.
typealias CallSet = UInt128

/// A call that has begun and not yet ended, as the search sees it.
struct PendingCall {
    enum Kind {
        /// A write that succeeds whatever is there.
        case write
        /// A write that succeeds only where there is no item.
        case create
        /// A write that succeeds only where a certain value is.
        case replace
        /// A removal that succeeds whatever is there.
        case wipe
        /// A removal that found an item.
        case remove
        /// A call that saw no item.
        case absence
        /// A call that saw an item.
        case presence
    }

    let kind: Kind
    /// Where it is in the history.
    let operation: Int
    let invoked: UInt64
    /// When it has to have taken effect.
    let deadline: UInt64
    /// What it writes.
    let value: Int32
    /// What a replace found.
    let old: Int32
    /// Its bit; none for a call that changes nothing.
    let bit: CallSet
    /// Whether it surely took effect.
    let isCertain: Bool
}

extension PendingCall.Kind {
    /// - Returns: `nil` for calls that say nothing, or nothing but what ``ValueTable`` already knows.
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
            // What an update of a killed worker had read is unknown.
            self = !call.isCertain ? .write : old == nil ? .create : .replace
        case .remove(let found):
            self = !call.isCertain || found == nil ? .wipe : found == true ? .remove : .absence
        case .wipe: self = .wipe
        }
    }
}
