/// Looks for an order in which the calls of a history can have taken effect.
///
/// This is the search of Wing and Gong with Lowe's improvements, done just in time. It follows the beginnings and ends
/// of the calls in order of time, and decides nothing between two ends. When a call ends, each configuration that has
/// not placed it is replaced by all configurations that result from placing some calls in flight and then this one. If
/// no configuration is left, no order exists. The required memory depends on how many calls are in flight at the same
/// time, not on the number of calls. Calls that touch in time count as concurrent.
struct HistorySearch {
    /// The reason why the search found no order.
    enum Failure: Error {
        /// These calls are involved in the contradiction: their indices, with the writes of the values that they found.
        case impossible(Set<Int>)
        case undecided(String)
    }

    let operations: [ItemOperation]
    var moment: Moment
    private(set) var configurations = ConfigurationSet()
    var reached = ConfigurationSet()
    var explored = ConfigurationSet()
    var frontier: [Configuration] = []

    private var nextCall = 0
    private var nextValue: Int32 = 0
    private var soonestDeath = UInt64.max
    private let limit: Int
    /// How many of the latest changes a failure shows if the search has forgotten which of them led to a state.
    private static let shownChanges = 8

    /// Searches a history for an order of its calls.
    ///
    /// - Parameter limit: the most configurations at a time; if there are more, the search gives up.
    /// - Throws: ``Failure`` if no order exists, or if the search can't decide.
    static func run(_ operations: [ItemOperation], limit: Int = 200_000) throws(Failure) {
        var search = HistorySearch(operations, try ValueTable(operations), limit)
        try search.run()
    }

    private init(_ operations: [ItemOperation], _ values: ValueTable, _ limit: Int) {
        self.operations = operations
        moment = Moment(values)
        self.limit = limit
        keep(Configuration(state: .absent, lastOther: 0, open: 0, owed: 0))
        (configurations, reached) = (reached, configurations)
    }

    /// Whether the search has exceeded its limit, in which case the configurations reached so far are incomplete.
    var hasTooMany: Bool { max(reached.count, explored.count) > limit }

    private mutating func run() throws(Failure) {
        while true {
            let begins = nextCall < operations.count ? operations[nextCall].invoked : .max
            let ends = moment.inFlight.calls.first?.deadline ?? .max
            if begins == .max && ends == .max && nextCall == operations.count { return }
            if soonestDeath < min(begins, ends) {
                moment.advance(to: soonestDeath)
                reach(.life)
            } else if begins <= ends, nextCall < operations.count {
                try begin()
                continue
            } else {
                moment.advance(to: ends)
                end()
            }
            if hasTooMany { throw .undecided("more than \(limit) possible states at the same time") }
            if reached.count == 0 { throw .impossible(involvedCalls()) }
            settle()
        }
    }
}

// MARK: - Events
extension HistorySearch {
    private mutating func begin() throws(Failure) {
        let call = operations[nextCall]
        defer { nextCall += 1 }
        let value = nextValue
        if call.written != nil { nextValue += 1 }
        guard let kind = PendingCall.Kind(call) else { return }
        var bit: CallSet = 0
        if kind != .absence && kind != .presence {
            guard let free = moment.inFlight.freeBit() else {
                throw .undecided("more than \(CallSet.bitWidth) calls at the same time")
            }
            bit = free
        }
        let isWrite = call.written != nil
        let pending = PendingCall(
            kind: kind, operation: nextCall, invoked: call.invoked,
            deadline: isWrite ? moment.values[value].deadline : call.returned, value: value, old: replaced(by: call),
            bit: bit,
            isCertain: isWrite ? moment.values[value].isCertain : call.isCertain
        )
        moment.inFlight.add(pending, moment.values)
        if bit != 0 { configurations.open(bit, isOwed: pending.isCertain) }
    }

    private func replaced(by call: ItemOperation) -> Int32 {
        guard let stamp = call.found, call.written != nil else { return -1 }
        return moment.values.identifier(of: stamp) ?? -1
    }

    private mutating func end() {
        guard let call = moment.inFlight.calls.first else { return }
        switch call.kind {
        case .absence: reach(.absence(since: call.invoked))
        case .presence: reach(.presence(since: call.invoked))
        case .write, .create, .replace, .wipe, .remove: reach(placing: call)
        }
        guard reached.count > 0 else { return }
        _ = moment.inFlight.removeFirst()
        reached.forget(call.bit)
    }

    private mutating func settle() {
        swap(&configurations, &reached)
        soonestDeath = .max
        for case .value(let value) in configurations.members.lazy.map(\.state) {
            soonestDeath = min(soonestDeath, moment.values[value].latestDeath)
        }
    }

    /// The calls that the search could not place, and those that explain why.
    private func involvedCalls() -> Set<Int> {
        var calls: Set<Int> = []
        var values: Set<Int32> = []
        for call in moment.inFlight.calls {
            calls.insert(call.operation)
            if operations[call.operation].written != nil { values.insert(call.value) }
            if call.old >= 0 { values.insert(call.old) }
        }
        let states = configurations.members.prefix(64).map(\.state)
        for case .value(let identifier) in states { values.insert(identifier) }
        for value in values.map({ moment.values[$0] }) {
            calls.formUnion([value.writer, value.deadlineCall, value.lastReader, value.replacer].compactMap(\.self))
        }
        if states.contains(.absent) || states.contains(.anonymous) {
            let changes = (0..<nextCall).reversed().lazy.filter { !operations[$0].isObservation }
            for change in changes.prefix(Self.shownChanges) {
                calls.insert(change)
                // The call that found a value before its write returned shows how early the write took effect.
                let value = operations[change].written.flatMap { moment.values.identifier(of: $0) }
                if let value { calls.insert(moment.values[value].deadlineCall) }
            }
        }
        return calls
    }
}
