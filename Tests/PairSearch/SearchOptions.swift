/// What the search is asked to do.
struct SearchOptions {
    /// Which series, and which single interleaving of a series.
    enum Choice {
        case all
        /// So many of each kind of stop, chosen by the seed.
        case sample(Int)
        case series([Series])
        case interleaving(Interleaving)
    }

    static let usage = """
        usage: pair-search [--seed N] [--lanes N] (--all | --sample N | --only NAME ...)

        Stops one operation before each of its keyring calls, runs another one meanwhile, and checks what both did.
        NAME is FIRST,SECOND,STATE,STOP,same (or apart) for all pauses of a pair, with numbers behind it for a single one, as findings show.
        Exit code 0: nothing was found; 1: something was; 64: usage.

        """

    var choice = Choice.sample(10)
    var seed = UInt64.random(in: 1...999_999_999)
    var lanes = 36

    /// `nil` for words that mean nothing.
    init?(_ words: [String]) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--all": choice = .all
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
        let series = names.compactMap { Series(name: $0[...]) }
        return series.isEmpty || series.count < names.count ? nil : .series(series)
    }
}

extension Interleaving {
    fileprivate init?(name: String) {
        let parts = name.split(separator: ",")
        guard parts.count == 6 || parts.count == 7, let series = Series(name: parts[..<5].joined(separator: ",")[...]),
            let first = Int(parts[5]), let second = parts.count == 7 ? Int(parts[6]) : 0
        else { return nil }
        self.init(series: series, firstStop: first, secondStop: second)
    }
}
