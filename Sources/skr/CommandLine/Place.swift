import ArgumentParser
import CommandSupport
import SessionKeyring

/// A scope and a namespace: from options, otherwise from the environment, otherwise the defaults.
struct Place {
    /// The scopes that a command can use.
    enum Scope: String, CaseIterable {
        case session, user, persistent

        var secretScope: SecretScope {
            switch self {
            case .session: .session
            case .user: .user
            case .persistent: .persistent
            }
        }
    }

    let scope: Scope
    /// Whether an option or the environment names the scope.
    let isScopeSaid: Bool
    let namespace: String

    /// - Parameter usual: the scope if neither an option nor the environment names one.
    init(
        scope: Scope? = nil, namespace: String? = nil, usual: Scope = .session
    ) throws(CommandError) {
        var named = scope
        if scope == nil, let name = try Variable.value("SKR_SCOPE") { named = try Self.scope(name, in: "SKR_SCOPE") }
        self.scope = named ?? usual
        isScopeSaid = named != nil
        let usualNamespace = namespace == nil ? try Variable.value("SKR_NAMESPACE") : nil
        self.namespace = namespace ?? usualNamespace ?? SecretStore.defaultNamespace
    }

    /// Creates a place from the words of a command line.
    ///
    /// - Parameter scope: the value of `--scope`.
    init(scopeNamed scope: String?, namespace: String?) throws(CommandError) {
        guard let scope else {
            try self.init(namespace: namespace)
            return
        }
        try self.init(scope: Self.scope(scope, in: "--scope"), namespace: namespace)
    }

    private static func scope(_ name: String, in place: String) throws(CommandError) -> Scope {
        guard let scope = Scope(rawValue: name) else {
            throw .usage(
                "\(place): no such scope: \(Display.quoted(name))", hint: "use session, user or persistent")
        }
        return scope
    }

    /// The scope to open the store with.
    ///
    /// A user who names the session scope means this session, even if another user owns it.
    var secretScope: SecretScope {
        scope == .session && isScopeSaid ? .sharedSession : scope.secretScope
    }

    func store() throws(SecretStoreError) -> SecretStore {
        try SecretStore(secretScope, namespace: namespace)
    }

    /// Returns the options that select this scope and namespace instead of another place's, each preceded by a space.
    static func options(_ scope: Scope, _ namespace: String, insteadOf place: Place) -> String {
        (scope == place.scope ? "" : " --scope \(scope.rawValue)")
            + (namespace == place.namespace ? "" : Display.option("--namespace", namespace))
    }

    /// The scope and the namespace for messages, without the defaults, as in ` (scope user, namespace work)`.
    var remark: String {
        let words = [
            scope == .session ? nil : "scope \(scope.rawValue)",
            namespace == SecretStore.defaultNamespace ? nil : "namespace \(Display.plain(namespace))",
        ].compactMap { $0 }
        return words.isEmpty ? "" : " (\(words.joined(separator: ", ")))"
    }
}

extension Place.Scope: ExpressibleByArgument {}

/// The options that select the scope and the namespace.
struct PlaceOptions: ParsableArguments {
    /// The variables that are used if an option is missing.
    static let variables = [(name: "SKR_SCOPE", option: "--scope"), (name: "SKR_NAMESPACE", option: "--namespace")]

    @Option(
        help: ArgumentHelp(
            "The keyring: the session's, the user's (until a restart), or the persistent one (until days after use).",
            valueName: "scope"))
    var scope: Place.Scope?

    @Option(
        name: .joinable("n"),
        help: ArgumentHelp("A separate set of items, named for instance after an application.", valueName: "name"))
    var namespace: String?

    func place(usually usual: Place.Scope = .session) throws(CommandError) -> Place {
        try Place(scope: scope, namespace: namespace, usual: usual)
    }
}
