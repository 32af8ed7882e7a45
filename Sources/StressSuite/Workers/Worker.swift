import Keyutils
import SessionKeyring
import Threads

/// Makes calls in one thread, and logs each of them.
///
/// Only one thread may use it.
final class Worker {
    let plan: StressPlan
    let place: WorkerPlace
    let store: SecretStore
    let log: CallLog
    var choices: Choices
    let identities: [ItemIdentity]
    private var values: UInt32 = 0
    /// An item that this worker has found to be gone.
    var missing: Int?

    init(plan: StressPlan, place: WorkerPlace, store: SecretStore, log: CallLog) {
        self.plan = plan
        self.place = place
        self.store = store
        self.log = log
        choices = Choices(seed: plan.seed, stream: UInt64(place.number))
        identities = (0..<plan.items).map(StressItems.identity)
    }

    /// The number of the item in the whole run, as the item's values contain it.
    func globalItem(_ item: Int) -> UInt64 { UInt64(place.firstItem + item) }

    /// Returns a stamp that no other value has.
    func nextStamp() -> Stamp {
        values += 1
        return Stamp(writer: place.number, number: values)
    }

    func anyItem() -> Int { choices.below(plan.items) }

    /// Makes a new value of a random size within the plan's bounds.
    func value(_ stamp: Stamp, item: Int, count: UInt64 = 0) -> SecretBytes {
        let range = plan.largestValue - plan.smallestValue + 1
        let size = plan.smallestValue + (range > 1 ? choices.below(range) : 0)
        return unsafe SecretBytes(capacity: size) { buffer in
            unsafe StampedValue.write(
                stamp: stamp, item: globalItem(item), seed: plan.seed, count: count, into: buffer)
            return size
        }
    }

    /// Makes a call, and logs when it began and when it returned.
    ///
    /// - Parameters:
    ///   - written: the stamp of the value that the call writes, if it is known beforehand.
    ///   - body: makes the call and completes the record; an error that it throws is logged as the outcome.
    func call(
        _ kind: CallKind, item: Int?, written: Stamp? = nil, timeout: UInt32 = 0, count: UInt64 = 0,
        _ body: (inout OpenCall) throws -> Void
    ) {
        let record = CallRecord(
            invoked: MonotonicTime.now, worker: place.number,
            item: item.map { UInt32(place.firstItem + $0) } ?? CallRecord.allItems, kind: kind, timeout: timeout,
            written: written?.rawValue ?? 0, count: count)
        var open = OpenCall(index: log.begin(record), record: record)
        do {
            try body(&open)
            if open.record.outcome == .none { open.record.outcome = .done }
        } catch let error where Self.isRefusal(error, of: kind) {
            open.record.outcome = .refused
        } catch {
            open.record.outcome = .threw
            open.record.error = ErrorName(error)
            log.errors += 1
        }
        open.record.returned = MonotonicTime.now
        log.change(open.index, open.record)
    }

    /// Whether the item of an add was present, or others held a lease the whole time.
    ///
    /// No other step of these calls throws these errors.
    private static func isRefusal(_ error: any Error, of kind: CallKind) -> Bool {
        let code = (error as? SecretStoreError)?.code
        return kind == .add && code == .duplicate || kind == .lease && code == .leaseHeld
    }

    /// Logs the known facts about a call before it takes effect.
    func log(_ open: OpenCall) {
        log.change(open.index, open.record)
    }
}

/// A call that has begun and not yet returned.
struct OpenCall {
    let index: Int
    var record: CallRecord
}
