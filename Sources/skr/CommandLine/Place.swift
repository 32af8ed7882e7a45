import ArgumentParser
import CommandSupport
import Glibc
import SessionKeyring

/// A scope and a namespace: from options, else from the environment, else the defaults.
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
        if scope == nil, let name = try Self.environment("SKR_SCOPE") { named = try Self.scope(name, in: "SKR_SCOPE") }
        self.scope = named ?? usual
        isScopeSaid = named != nil
        let usualNamespace = namespace == nil ? try Self.environment("SKR_NAMESPACE") : nil
        self.namespace = namespace ?? usualNamespace ?? SecretStore.defaultNamespace
    }

    /// From the words of a command line.
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

    /// Whoever names the session scope means this session, even if another user owns it.
    var secretScope: SecretScope {
        scope == .session && isScopeSaid ? .sharedSession : scope.secretScope
    }

    func store() throws(SecretStoreError) -> SecretStore {
        try SecretStore(secretScope, namespace: namespace)
    }

    /// Which scope and namespace these are, unless they are the usual ones: ` (scope user, namespace work)`.
    var remark: String {
        let words = [
            scope == .session ? nil : "scope \(scope.rawValue)",
            namespace == SecretStore.defaultNamespace ? nil : "namespace \(Display.plain(namespace))",
        ].compactMap { $0 }
        return words.isEmpty ? "" : " (\(words.joined(separator: ", ")))"
    }

    /// A variable's value; `nil` if it is not set or empty.
    static func environment(_ name: String) throws(CommandError) -> String? {
        guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
        guard let text = unsafe String(validatingCString: value) else {
            throw .usage("\(name) is not valid UTF-8", hint: "names are text; use UTF-8 ones")
        }
        return text
    }
}

extension Place.Scope: ExpressibleByArgument {}

/// The options that say where the items are.
struct PlaceOptions: ParsableArguments {
    /// The variables that stand in for options.
    static let variables = [(name: "SKR_SCOPE", option: "--scope"), (name: "SKR_NAMESPACE", option: "--namespace")]

    @Option(
        help: ArgumentHelp(
            "Whose items: this session's, all of the user's, or the user's over logins.", valueName: "scope"))
    var scope: Place.Scope?

    @Option(help: ArgumentHelp("Whose items among them, for instance an application's name.", valueName: "name"))
    var namespace: String?

    func place(usually usual: Place.Scope = .session) throws(CommandError) -> Place {
        try Place(scope: scope, namespace: namespace, usual: usual)
    }
}
