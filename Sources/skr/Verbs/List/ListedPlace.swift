import CommandSupport
import Keyutils
import SessionKeyring

/// The items and unreadable keys of one namespace in one scope.
struct ListedPlace {
    private let scope: Place.Scope
    private let namespace: String
    private(set) var items: [ItemAttributes]
    private var unreadable: [KeySerial]

    init(_ place: Place) throws(SecretStoreError) {
        try self.init(lookingInto: try place.store(), scope: place.scope, namespace: place.namespace)
    }

    private init(lookingInto store: SecretStore, scope: Place.Scope, namespace: String) throws(SecretStoreError) {
        self.scope = scope
        self.namespace = namespace
        items = try store.items().sorted { Self.isOrdered($0.item, $1.item) }
        unreadable = try store.unreadableKeys()
    }

    /// Returns the contents of every namespace of every scope; it has no side effects.
    ///
    /// It warns about a scope or namespace that can't be read, and leaves it out.
    ///
    /// - Throws: ``CommandError`` if no keyring is available at all.
    static func all() throws(CommandError) -> [ListedPlace] {
        let survey = LoginSurvey()
        if !survey.isTableShown {
            Console.warn(
                "/proc/keys is hidden: the time left is unknown, and a scope might be left out",
                hint: "mount /proc, and don't let the container mask /proc/keys")
        }
        var all: [ListedPlace] = []
        for scope in Place.Scope.allCases {
            do throws(SecretStoreError) {
                let found = try survey.findings(in: scope.secretScope) { namespace throws(SecretStoreError) in
                    try look(into: namespace, of: scope)
                }
                guard let found else {
                    warn(
                        of: "scope \(scope.rawValue)", because: "skr can't tell whether it exists",
                        hint: "'skr list --scope \(scope.rawValue)' lists it, and creates its keyring if necessary")
                    continue
                }
                all += found.compactMap(\.self).sorted { $0.namespace < $1.namespace }
            } catch {
                let problem = CommandError(error)
                guard error.code != .unavailable else { throw problem }
                warn(of: "scope \(scope.rawValue)", because: problem.message, hint: problem.hint)
            }
        }
        return all
    }

    /// Reads a namespace; if access is denied, it warns and returns `nil`.
    private static func look(
        into namespace: LoginSurvey.Namespace, of scope: Place.Scope
    ) throws(SecretStoreError) -> ListedPlace? {
        do throws(SecretStoreError) {
            return try ListedPlace(lookingInto: namespace.store, scope: scope, namespace: namespace.name)
        } catch {
            guard error.code == .forbidden, error.detail == nil else { throw error }
            let problem = CommandError(error)
            warn(of: "scope \(scope.rawValue), namespace \(namespace.name)", because: problem.message, hint: nil)
            return nil
        }
    }

    private static func warn(of place: String, because reason: String, hint: String?) {
        Console.warn("\(place) is left out: \(reason)", hint: hint)
    }

    private static func isOrdered(_ left: ItemIdentity, _ right: ItemIdentity) -> Bool {
        if left.kind != right.kind { return left.kind.rawValue < right.kind.rawValue }
        return left.service != right.service ? left.service < right.service : left.account < right.account
    }

    /// Keeps only the items of this service; if the name ends in `*`, of all services that begin with the rest.
    mutating func keep(service: String) {
        if service != "*" { unreadable = [] }
        let isPrefix = service.utf8.last == UInt8(ascii: "*")
        items = items.filter {
            isPrefix ? $0.item.service.utf8.starts(with: service.utf8.dropLast()) : $0.item.service == service
        }
    }

    /// Removes the items without a timeout, and those that certainly have at least this much time left.
    mutating func keep(expiringWithin duration: Duration) {
        unreadable = []
        items = items.filter { item in
            if case .after(let left) = item.expiry { left.atLeast < duration } else { false }
        }
    }

    /// Returns the entries to list.
    ///
    /// - Parameter isNamed: whether the scope and the namespace are shown too.
    func listed(isNamed: Bool) -> [ListedItem] {
        let place = isNamed ? (scope: scope, namespace: namespace) : nil
        return items.map { ListedItem($0, in: place) } + unreadable.map { ListedItem(unreadable: $0, in: place) }
    }
}
