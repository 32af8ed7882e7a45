/// What an item may be at a moment.
enum ItemState: Hashable {
    case absent
    /// A value that nobody who begins later finds, and that never dies: all of these are alike.
    case anonymous
    case value(Int32)
}

/// One way in which the calls until now may have taken effect.
///
/// A call in flight is *owed* (it has not taken effect, and must), *optional* (open and not owed: it may or may not have
/// taken effect, whatever suits what follows), or placed (neither). That a call is optional without anything left to decide
/// is what keeps configurations few: where a value is overwritten, every write in flight that nobody reads may have taken
/// effect just before, unseen, and there is no need to follow up which of them did.
struct Configuration: Hashable {
    var state: ItemState
    /// Just after the item last was what it is not now: there, or absent; 0 for never.
    ///
    /// That satisfies every call in flight that began before and saw just that.
    var lastOther: UInt64
    var open: CallSet
    var owed: CallSet

    /// Without that call in flight.
    func placing(_ bit: CallSet) -> Configuration {
        Configuration(state: state, lastOther: lastOther, open: open & ~bit, owed: owed & ~bit)
    }
}
