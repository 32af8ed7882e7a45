/// How a process is stopped, and what happens while it stands.
enum Stop: String, CaseIterable {
    /// The second operation runs to its end; where it waits for the first, that one goes on.
    case plain
    /// The first process is killed where it stands, and the second operation runs behind it.
    case kill
    /// The first process stands for longer than any lease that it may hold.
    case outlasting
    /// The item's timeout ends while the first process stands.
    case expiry
    /// The second process is stopped too, and the first one ends before it goes on.
    case double
    /// Both: what the first process saw has expired when the second one begins.
    case doubleExpiry = "double-expiry"

    var stopsBoth: Bool { self == .double || self == .doubleExpiry }
    var crossesExpiry: Bool { self == .expiry || self == .doubleExpiry }
}

/// Two operations that meet in one state and in one way, at all pauses.
protocol Series: Sendable {
    var stop: Stop { get }
    /// As the command line takes it.
    var name: String { get }
    /// Both operations, as the summary counts them.
    var pair: String { get }

    /// Makes the state.
    ///
    /// - Throws: the reason why that failed.
    func play() throws -> any Play
}

/// Two of the library's operations, in a state of the item.
struct ItemSeries: Series, Hashable {
    let first: Operation
    let second: Operation
    let state: ItemState
    let stop: Stop
    /// Whether they are about two items of one namespace, so that they meet in its keyrings only.
    let isApart: Bool

    var pair: String { "\(first.rawValue) against \(second.rawValue)" }

    var name: String {
        "\(first.rawValue),\(second.rawValue),\(state.rawValue),\(stop.rawValue),\(isApart ? "apart" : "same")"
    }

    func play() throws -> any Play { try ItemPlay(self) }
}

extension ItemSeries {
    init?(name: Substring) {
        let parts = name.split(separator: ",").map(String.init)
        guard parts.count == 5, ["apart", "same"].contains(parts[4]), let first = Operation(rawValue: parts[0]),
            let second = Operation(rawValue: parts[1]), let state = ItemState(rawValue: parts[2]),
            let stop = Stop(rawValue: parts[3])
        else { return nil }
        self.init(first: first, second: second, state: state, stop: stop, isApart: parts[4] == "apart")
    }
}

/// One way in which the calls of a series can fall.
struct Interleaving {
    let series: any Series
    /// Before which of its keyring calls the first process is stopped, from 1.
    let firstStop: Int
    /// The same for the second one; 0 where it runs to its end.
    let secondStop: Int

    /// As the command line takes it.
    var name: String {
        "\(series.name),\(firstStop)" + (series.stop.stopsBoth ? ",\(secondStop)" : "")
    }
}
