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
        if scope == nil, let name = try Variable.value("SKR_SCOPE") {
            named = Scope(rawValue: name)
            guard named != nil else {
                throw .usage(
                    "SKR_SCOPE: no such scope: \(Display.quoted(name))", hint: "use session, user or persistent")
            }
        }
        self.scope = named ?? usual
        isScopeSaid = named != nil
        let usualNamespace = namespace == nil ? try Variable.value("SKR_NAMESPACE") : nil
        self.namespace = namespace ?? usualNamespace ?? SecretStore.defaultNamespace
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
