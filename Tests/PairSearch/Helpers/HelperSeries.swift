/// Two operations of credential helpers, in a state of the items.
struct HelperSeries: Series, Hashable {
    let first: HelperOperation
    let second: HelperOperation
    let state: HelperState
    let stop: Stop

    var pair: String { "\(first.rawValue) against \(second.rawValue)" }
    var name: String { "\(first.rawValue),\(second.rawValue),\(state.rawValue),\(stop.rawValue)" }

    func play() throws -> any Play { try HelperPlay(self) }
}

extension HelperSeries {
    init?(name: Substring) {
        let parts = name.split(separator: ",").map(String.init)
        guard parts.count == 4, let first = HelperOperation(rawValue: parts[0]),
            let second = HelperOperation(rawValue: parts[1]), let state = HelperState(rawValue: parts[2]),
            let stop = Stop(rawValue: parts[3])
        else { return nil }
        self.init(first: first, second: second, state: state, stop: stop)
    }

    /// All series to try, in a fixed order.
    static let all: [HelperSeries] = plain + killed + doubly + outlasting

    private static func product(
        _ firsts: [HelperOperation], _ seconds: [HelperOperation], _ states: [HelperState], _ stop: Stop,
        isRelated: Bool = true
    ) -> [HelperSeries] {
        firsts.flatMap { first in
            seconds.filter { isRelated == ($0.service == first.service) }.flatMap { second in
                states.map { HelperSeries(first: first, second: second, state: $0, stop: stop) }
            }
        }
    }

    private static let changes = HelperOperation.library.filter { !$0.isReader }

    /// Operations of different services share only the list of items.
    private static let plain =
        product(HelperOperation.library, HelperOperation.library, HelperState.allCases, .plain)
        + product(HelperOperation.library, HelperOperation.library, [.bare, .record], .plain, isRelated: false)

    private static let killed = product(changes, HelperOperation.library, [.bare, .record, .both, .alternated], .kill)

    /// A sample, because the number of interleavings is the product of the numbers of calls.
    private static let doubly =
        product(
            [.gitStore, .gitStoreRecord, .gitEraseOld, .gitGet], [.gitStore, .gitStoreRecord, .gitAlternate],
            [.bare, .record], .double)
        + product([.gitStoreBoth], [.gitStoreBoth], [.nothing], .double)
        + product([.dockerStore, .dockerGet, .dockerList], [.dockerStore], [.nothing, .bare], .double)

    /// A sample in which the first process is stopped for longer than the lease under which it deletes.
    private static let outlasting = product(
        [.gitStore, .gitStoreRecord, .gitEraseOld, .dockerStore],
        [.gitStore, .gitStoreRecord, .gitGet, .dockerStore, .dockerGet], [.bare, .record], .outlasting)
}
