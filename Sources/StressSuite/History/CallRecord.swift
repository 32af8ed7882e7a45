/// A call of the store, as metrics name it.
package enum CallKind: String, Codable, Sendable, CaseIterable, BitwiseCopyable {
    case get, set, add, delete, clear, list, update, lease
}

/// One call of the store, as its worker logs it: before the call, and again when it has returned.
///
/// It lies in memory that processes of one program share, so it refers to nothing.
struct CallRecord: BitwiseCopyable {
    /// How a call ended.
    enum Outcome {
        /// It has not ended, or its worker was killed in it.
        case none
        /// It did what it was asked, and an item was there.
        case done
        /// There was no item; of an add: there was one; of a lease: another worker held it.
        case refused
        /// It threw.
        case threw
    }

    static let allItems = UInt32.max
    /// Where the time of its return lies in it.
    static let returnOffset = 8

    var invoked: UInt64 = 0
    /// 0 until it has returned; of a call whose worker was killed in it, when that worker was surely dead.
    var returned: UInt64 = 0
    var worker: UInt32 = 0
    /// Which item, or ``allItems`` of the worker's.
    var item: UInt32 = 0
    var kind = CallKind.get
    var outcome = Outcome.none
    var error: ErrorName?
    var flaw: StampedValue.Flaw?
    /// In whole seconds; 0 for none.
    var timeout: UInt32 = 0
    /// The stamp of the value that it wrote or was about to write, or 0; of a lease when it was still surely held.
    var written: UInt64 = 0
    /// The stamp of the value that it found, or 0; of a list a bit for each item; of a lease its fencing number.
    var observed: UInt64 = 0
    /// The count in the value that it wrote or found; of a lease when it was taken.
    var count: UInt64 = 0

    /// Whether its worker was killed in it.
    var isCutOff: Bool { outcome == .none }
}
