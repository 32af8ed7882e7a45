/// The options of a search.
struct SearchOptions {
    /// The chosen series, or a single interleaving of one.
    enum Choice {
        case all
        /// The number of series of each kind of stop; the seed chooses them.
        case sample(Int)
        case series([any Series])
        case interleaving(Interleaving)
    }

    static let usage = """
        usage: pair-search [--helpers | --logins | --sources | --triples] [--seed N] [--lanes N] (--all | --sample N | --only NAME ...)

        Stops one operation before each of its keyring calls, runs another one meanwhile, and checks the results of both.
        NAME is FIRST,SECOND,STATE,STOP,same (or apart) for all pauses of a pair. For a single pause, append the numbers
        that a finding shows. --helpers pairs the operations of credential helpers instead of the library's; their NAME
        is FIRST,SECOND,STATE,STOP. --logins pairs the operations on an OAuth login, with the same form of NAME. --sources pairs a fetch from a source with changes and other fetches.
        --triples has a third operation, which runs while both others are stopped; its NAME is
        FIRST,SECOND+THIRD,STATE,double,same.
        Exit code 0: no problem was found; 1: a problem was found; 64: wrong usage.

        """

    var choice = Choice.sample(10)
    var seed = UInt64.random(in: 1...999_999_999)
    var lanes = 36
    var concernsHelpers = false
    var concernsLogins = false
    var concernsSources = false
    var hasTriples = false

    /// All series of the chosen kind.
    var all: [any Series] {
        if concernsHelpers { return HelperSeries.all }
        if concernsLogins { return LoginSeries.all }
        return concernsSources ? ItemSeries.sources : hasTriples ? ItemSeries.triples : ItemSeries.all
    }

    /// Parses the words of the command line; `nil` if they are invalid.
    init?(_ words: [String]) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--all": choice = .all
            case "--helpers": concernsHelpers = true
            case "--logins": concernsLogins = true
            case "--sources": concernsSources = true
            case "--triples": hasTriples = true
            case "--sample":
                guard let count = rest.popFirst().flatMap({ Int($0) }), count > 0 else { return nil }
                choice = .sample(count)
            case "--seed":
                guard let number = rest.popFirst().flatMap({ UInt64($0) }) else { return nil }
                seed = number
            case "--lanes":
                guard let count = rest.popFirst().flatMap({ Int($0) }), (1...64).contains(count) else { return nil }
                lanes = count
            case "--only":
                guard let chosen = Self.choice(rest) else { return nil }
                choice = chosen
                rest = []
            default: return nil
            }
        }
    }

    private static func choice(_ names: ArraySlice<String>) -> Choice? {
        if names.count == 1, let single = names.first.flatMap(Interleaving.init(name:)) { return .interleaving(single) }
        let series = names.compactMap { namedSeries($0[...]) }
        return series.isEmpty || series.count < names.count ? nil : .series(series)
    }

    fileprivate static func namedSeries(_ name: Substring) -> (any Series)? {
        ItemSeries(name: name) ?? HelperSeries(name: name) ?? LoginSeries(name: name)
    }
}

extension Interleaving {
    fileprivate init?(name: String) {
        let parts = name.split(separator: ",")
        let numbers = parts.compactMap { Int($0) }
        guard (1...2).contains(numbers.count),
            let series = SearchOptions.namedSeries(parts.dropLast(numbers.count).joined(separator: ",")[...])
        else { return nil }
        self.init(series: series, firstStop: numbers[0], secondStop: numbers.count == 2 ? numbers[1] : 0)
    }
}
