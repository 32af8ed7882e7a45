/// What stands before the cursor, as the definitions' own functions are told: the options, and behind `--` the arguments.
struct CompletionContext {
    private let options: [(name: String, value: String)]
    let positionals: [String]

    init(_ line: PartialLine) {
        options = line.options
        positionals = line.positionals
    }

    /// From the words that such a function is given, the last of which is at the cursor.
    init(_ words: [String]) {
        let parts = words.dropLast().split(separator: "--", maxSplits: 1, omittingEmptySubsequences: false)
        options = (parts.first ?? []).compactMap { word in
            PartialLine.split(word).map { (name: String($0.name), value: String($0.value)) }
        }
        positionals = parts.count > 1 ? Array(parts[1]) : []
    }

    var words: [String] { options.map { "\($0.name)=\($0.value)" } + ["--"] + positionals }

    /// Where the items are; `nil` where the line names a scope that there is not.
    var place: Place? {
        let scope = value(of: "--scope").map(Place.Scope.init(rawValue:))
        if case .some(.none) = scope { return nil }
        return try? Place(scope: scope ?? nil, namespace: value(of: "--namespace"))
    }

    private func value(of name: String) -> String? {
        options.last { $0.name == name }?.value
    }
}
