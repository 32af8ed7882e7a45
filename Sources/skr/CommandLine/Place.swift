import ArgumentParser
package import CommandSupport
import Glibc
import SessionKeyring

/// Where items are: the scope and the namespace, from options, else the environment, else the defaults.
package struct Place: Equatable {
    /// The scopes that a command can use.
    package enum Scope: String, CaseIterable {
        case session, user, persistent

        var secretScope: SecretScope {
            switch self {
            case .session: .session
            case .user: .user
            case .persistent: .persistent
            }
        }
    }

    package let scope: Scope
    /// Whether an option or the environment says so.
    package let isScopeSaid: Bool
    package let namespace: String

    /// - Parameter usual: the scope where neither the option nor the environment names one.
    package init(
        scope: Scope? = nil, namespace: String? = nil, usual: Scope = .session
    ) throws(CommandError) {
        var named = scope
        if scope == nil, let name = try Self.environment("SKR_SCOPE") {
            named = Scope(rawValue: name)
            if named == nil {
                throw .usage("SKR_SCOPE: no such scope: \(name)", hint: "use session, user or persistent")
            }
        }
        self.scope = named ?? usual
        isScopeSaid = named != nil
        let usualNamespace = namespace == nil ? try Self.environment("SKR_NAMESPACE") : nil
        self.namespace = namespace ?? usualNamespace ?? SecretStore.defaultNamespace
    }

    /// A session that is asked for by name is meant, whoever owns it.
    var secretScope: SecretScope {
        scope == .session && isScopeSaid ? .sharedSession : scope.secretScope
    }

    func store() throws(SecretStoreError) -> SecretStore {
        try SecretStore(secretScope, namespace: namespace)
    }

    /// A variable's value; `nil` where it is not set or empty, which a shell hardly tells apart.
    private static func environment(_ name: String) throws(CommandError) -> String? {
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
