/// The facts that a history as a whole reveals about each of its values, collected before the search.
///
/// Each value is written once. So the item has it for one continuous stretch of time, and every call that found the
/// value lies in that stretch. The write takes effect before the first of these calls returns, and nothing displaces
/// the value before the last of them has begun. Because the search knows this in advance, it needs no reads at all, and
/// gives up a wrong order immediately.
struct ValueTable {
    struct Value {
        /// The call that wrote the value.
        let writer: Int
        /// The latest time at which the write can have taken effect.
        ///
        /// This is when the write returned or when the first call that found the value returned, whichever is earlier.
        var deadline: UInt64
        /// The call whose return is the deadline.
        var deadlineCall: Int
        /// The beginning of the last read that found the value.
        var lastRead: UInt64 = 0
        var lastReader: Int?
        /// The update that replaced the value with another one.
        var replacer: Int?
        /// Whether the write certainly took effect.
        var isCertain: Bool
        let earliestDeath: UInt64
        let latestDeath: UInt64

        /// Whether no later call finds the value.
        func isSpent(at now: UInt64) -> Bool { lastRead <= now && replacer == nil }
    }

    /// The values in the order in which their writes began.
    private(set) var values: [Value] = []
    private var identifiers: [Stamp: Int32] = [:]

    /// Collects the facts.
    ///
    /// - Throws: the failure of a history that needs no search.
    init(_ operations: [ItemOperation]) throws(HistorySearch.Failure) {
        for (index, call) in operations.enumerated() {
            try addWrite(call, at: index)
        }
        for (index, call) in operations.enumerated() {
            if let stamp = call.found { try addFinding(of: stamp, by: call, at: index, in: operations) }
        }
    }

    subscript(identifier: Int32) -> Value { values[Int(identifier)] }

    func identifier(of stamp: Stamp) -> Int32? { identifiers[stamp] }

    private mutating func addWrite(_ call: ItemOperation, at index: Int) throws(HistorySearch.Failure) {
        guard call.invoked <= call.returned else { throw .undecided("a call ended before it began") }
        guard call.returned < .max else { throw .undecided("a call never ended") }
        guard let stamp = call.written else { return }
        guard identifiers.updateValue(Int32(values.count), forKey: stamp) == nil else {
            throw .undecided("two calls wrote \(stamp)")
        }
        values.append(
            Value(
                writer: index, deadline: call.returned, deadlineCall: index, isCertain: call.isCertain,
                earliestDeath: Expiry.earliest(of: call), latestDeath: Expiry.latest(of: call)
            )
        )
    }

    private mutating func addFinding(
        of stamp: Stamp, by call: ItemOperation, at index: Int, in operations: [ItemOperation]
    ) throws(HistorySearch.Failure) {
        guard let identifier = identifiers[stamp] else { throw .impossible([index]) }
        let writer = self[identifier].writer
        let place = Int(identifier)
        guard operations[writer].invoked <= call.returned, call.invoked <= values[place].latestDeath else {
            throw .impossible([index, writer])
        }
        values[place].isCertain = true
        if call.returned < values[place].deadline {
            values[place].deadline = call.returned
            values[place].deadlineCall = index
        }
        if call.written != nil {
            if let other = values[place].replacer { throw .impossible([index, other, writer]) }
            values[place].replacer = index
        } else if call.invoked >= values[place].lastRead {
            values[place].lastRead = call.invoked
            values[place].lastReader = index
        }
    }
}
