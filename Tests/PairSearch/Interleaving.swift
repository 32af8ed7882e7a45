/// How a process is stopped, and what happens in the meantime.
enum Stop: String, CaseIterable {
    /// The second operation runs to its end. If it waits for the first one, that one continues.
    case plain
    /// The first process is killed where it has stopped, and then the second operation runs.
    case kill
    /// The first process is stopped for longer than any lease that it may hold.
    case outlasting
    /// The item's timeout ends while the first process is stopped.
    case expiry
    /// The second process is stopped as well, and the first one ends before the second one continues.
    case double
    /// Both: the item that the first process saw has expired when the second one begins.
    case doubleExpiry = "double-expiry"

    var stopsBoth: Bool { self == .double || self == .doubleExpiry }
    var crossesExpiry: Bool { self == .expiry || self == .doubleExpiry }
}

/// Two operations that meet in one state and in one way, with a stop before each call in turn.
protocol Series: Sendable {
    var stop: Stop { get }
    /// The name of the series on the command line.
    var name: String { get }
    /// The names of both operations, under which the summary counts the series.
    var pair: String { get }

    /// Whether only one of five interleavings is played, because there are too many.
    var isSampled: Bool { get }

    /// Creates the state.
    ///
    /// - Throws: the reason why that failed.
    func play() throws -> any Play
}

/// Two of the library's operations, in a state of the item; or three, the last of which runs while both others are stopped.
struct ItemSeries: Series, Hashable {
    let first: Operation
    let second: Operation
    let third: Operation?
    let state: ItemState
    let stop: Stop
    /// Whether the operations use two items of one namespace, so that they share only its keyrings.
    let isApart: Bool

    var operations: [Operation] { [first, second] + (third.map { [$0] } ?? []) }
    private var others: String { operations.dropFirst().map(\.rawValue).joined(separator: "+") }
    var pair: String { "\(first.rawValue) against \(others)" }

    var name: String {
        "\(first.rawValue),\(others),\(state.rawValue),\(stop.rawValue),\(isApart ? "apart" : "same")"
    }

    func play() throws -> any Play { try ItemPlay(self) }
}

extension Series {
    var isSampled: Bool { false }
}

extension ItemSeries {
    var isSampled: Bool { third != nil }

    init?(name: Substring) {
        let parts = name.split(separator: ",").map(String.init)
        guard parts.count == 5, ["apart", "same"].contains(parts[4]), let first = Operation(rawValue: parts[0]),
            case let others = parts[1].split(separator: "+").map({ Operation(rawValue: String($0)) }),
            (1...2).contains(others.count), let second = others[0], let third = others.last,
            let state = ItemState(rawValue: parts[2]),
            let stop = Stop(rawValue: parts[3])
        else { return nil }
        self.init(
            first: first, second: second, third: others.count > 1 ? third : nil, state: state, stop: stop,
            isApart: parts[4] == "apart")
    }
}

/// One order in which the calls of a series can happen.
struct Interleaving {
    let series: any Series
    /// The number of the keyring call before which the first process is stopped, from 1.
    let firstStop: Int
    /// The same for the second process; 0 if it runs to its end.
    let secondStop: Int

    /// The name of the interleaving on the command line.
    var name: String {
        "\(series.name),\(firstStop)" + (series.stop.stopsBoth ? ",\(secondStop)" : "")
    }
}
