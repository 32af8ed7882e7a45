/// What a whole history says about each value in it, collected before the search.
///
/// Every value is written once, so it is in the item for one stretch of time without gaps, and every call that found
/// it lies in that stretch: the write takes effect before the first of these calls returns, and nothing displaces the
/// value before the last of them has begun. Knowing this beforehand, the search needs no reads at all, and gives up a
/// wrong order at once.
struct ValueTable {
    struct Value {
        /// The call that wrote it; `nil` for whatever was there before the history.
        let writer: Int?
        /// Until when the write takes effect: its own return, or the first return of a call that found the value.
        var deadline: UInt64
        /// The call whose return gives the deadline.
        var deadlineCall: Int?
        /// When the last read that found it began.
        var lastRead: UInt64 = 0
        var lastReader: Int?
        /// The update that put another value in its place.
        var replacer: Int?
        /// Whether the write surely took effect.
        var isCertain: Bool
        let earliestDeath: UInt64
        let latestDeath: UInt64

        /// Whether no later call finds it.
        func isSpent(at now: UInt64) -> Bool { lastRead <= now && replacer == nil }
    }

    /// Why a history needs no search.
    enum Flaw: Error {
        /// These calls alone can't be.
        case impossible([Int])
        case invalid(String)
    }

    /// In the order in which their writes began.
    private(set) var values: [Value] = []
    private var identifiers: [Stamp: Int32] = [:]

    init(_ operations: [ItemOperation]) throws(Flaw) {
        for (index, call) in operations.enumerated() {
            try addWrite(call, at: index)
        }
        for (index, call) in operations.enumerated() {
            if let stamp = call.found { try addFinding(of: stamp, by: call, at: index, in: operations) }
        }
    }

    subscript(identifier: Int32) -> Value { values[Int(identifier)] }

    func identifier(of stamp: Stamp) -> Int32? { identifiers[stamp] }

    /// A value that was there before the history, of which nothing is known: it may die at any time, or never.
    mutating func addUnknown() -> Int32 {
        values.append(
            Value(writer: nil, deadline: 0, deadlineCall: nil, isCertain: false, earliestDeath: 0, latestDeath: .max)
        )
        return Int32(values.count - 1)
    }

    private mutating func addWrite(_ call: ItemOperation, at index: Int) throws(Flaw) {
        guard call.invoked <= call.returned else { throw .invalid("a call ended before it began") }
        guard call.returned < .max else { throw .invalid("a call never ended") }
        guard let stamp = call.written else { return }
        guard identifiers.updateValue(Int32(values.count), forKey: stamp) == nil else {
            throw .invalid("two calls wrote \(stamp)")
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
    ) throws(Flaw) {
        guard let identifier = identifiers[stamp], let writer = self[identifier].writer else {
            throw .impossible([index])
        }
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
