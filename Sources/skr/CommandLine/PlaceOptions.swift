import CommandSupport

/// The options that select the scope and the namespace.
struct PlaceOptions {
    let scope: Place.Scope?
    let namespace: String?

    init(_ words: inout CommandWords) {
        let name = words.choice(
            "--scope", value: "SCOPE", "session|user|persistent",
            "The keyring: the session's, the user's (until a restart), or the persistent one (until days after use).",
            variable: "SKR_SCOPE")
        scope = name.flatMap(Place.Scope.init)
        namespace = words.option(
            "--namespace", "-n", value: "NAME", "A separate set of items, named for instance after an application.",
            variable: "SKR_NAMESPACE")
    }

    var isGiven: Bool { scope != nil || namespace != nil }

    func place(usually usual: Place.Scope = .session) throws(CommandError) -> Place {
        try Place(scope: scope, namespace: namespace, usual: usual)
    }

    /// The options as words of a command line.
    var words: [String] { Self.words("--scope", scope?.rawValue) + Self.words("--namespace", namespace) }

    static func words(_ name: String, _ value: String?) -> [String] {
        value.map { $0.hasPrefix("-") ? ["\(name)=\($0)"] : [name, $0] } ?? []
    }
}
