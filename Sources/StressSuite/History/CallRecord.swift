import Keyutils

/// A kind of call of the store, as metrics name it.
package enum CallKind: String, Codable, Sendable, CaseIterable, BitwiseCopyable {
    case get, set, add, delete, clear, list, update, lease
}

/// One call of the store.
///
/// Its worker logs it before the call, and again after the call has returned.
///
/// The record lies in memory that several processes of one program share, so it contains no references.
struct CallRecord: BitwiseCopyable {
    /// How a call ended.
    enum Outcome {
        /// It has not ended, or its worker was killed during it.
        case none
        /// It succeeded; a get or a delete found an item.
        case done
        /// The item was absent; for an add, it was present; for a lease, another worker held it.
        case refused
        /// It threw an error.
        case threw
    }

    static let allItems = UInt32.max
    /// The offset of `returned` in the record, in bytes.
    static let returnOffset = 8

    var invoked: UInt64 = 0
    /// 0 until the call has returned; if its worker was killed, a time when that worker was certainly dead.
    var returned: UInt64 = 0
    var worker: UInt32 = 0
    /// The number of the item, or ``allItems`` for all items of the worker.
    var item: UInt32 = 0
    var kind = CallKind.get
    var outcome = Outcome.none
    var error: ErrorName?
    var flaw: StampedValue.Flaw?
    /// The timeout in whole seconds; 0 for no timeout.
    var timeout: UInt32 = 0
    /// The stamp of the value that the call wrote or was about to write, or 0.
    ///
    /// For a lease, this is a time at which the lease was certainly still held.
    var written: UInt64 = 0
    /// The stamp of the value that the call found, or 0.
    ///
    /// For a list, it has one bit for each item; for a lease, it is the fencing number.
    var observed: UInt64 = 0
    /// The count in the value that the call wrote or found; for a lease, the time at which it was taken.
    var count: UInt64 = 0

    /// Whether the worker was killed during the call.
    var isCutOff: Bool { outcome == .none }
}
