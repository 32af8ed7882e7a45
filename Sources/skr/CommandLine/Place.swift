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
        if let scope {
            self.scope = scope
            self.isScopeSaid = true
        } else if let name = try Self.environment("SKR_SCOPE") {
            guard let scope = Scope(rawValue: name) else {
                throw .usage("SKR_SCOPE: no such scope: \(name)", hint: "use session, user or persistent")
            }
            self.scope = scope
            self.isScopeSaid = true
        } else {
            self.scope = usual
            self.isScopeSaid = false
        }
        let named = namespace == nil ? try Self.environment("SKR_NAMESPACE") : nil
        self.namespace = namespace ?? named ?? SecretStore.defaultNamespace
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
