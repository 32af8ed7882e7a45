import CommandSupport
import SessionKeyring

/// An item that was not found, and the search for other uses of its name.
///
/// The search starts only after the item is known to be missing, and it has no side effects.
struct MissingItem {
    static let usualHint = "store it with 'skr set'; 'skr list' shows what is stored"
    /// The hint for verbs that don't need a stored secret.
    static let listHint = "'skr list' shows what is stored"
    /// The second hint, for an item that was probably stored in another login.
    static let sessionHint =
        "each login has its own session; logins share --scope user, or 'skr session --join': see "
        + Guide.loginEnvironments.reference

    let item: ItemIdentity
    /// Whether the user named no account, so that any account matches.
    let isAnyAccount: Bool
    let place: Place

    func error(lookingIn store: SecretStore, hint: String = usualHint) -> CommandError {
        let here = Neighborhood(scope: place.scope, namespace: place.namespace, items: (try? store.identities()) ?? [])
        let elsewhere = Neighborhood.others(of: place)
        let found = hintElsewhere(elsewhere) ?? ([here] + elsewhere).lazy.compactMap(hintAtOtherKind).first
        var error = CommandError(
            exitCode: .noItem,
            message: "\(Display.name(of: item)): \(SecretStoreError.Code.notFound.summary)\(place.remark)",
            hint: found ?? hint)
        if found == nil, canBeInOtherSession(here, elsewhere) { error.secondHint = Self.sessionHint }
        return error
    }

    /// Returns whether another login's session is a likely place of the item.
    ///
    /// It isn't if the user has probably mistyped the name, the account or the namespace.
    private func canBeInOtherSession(_ here: Neighborhood, _ elsewhere: [Neighborhood]) -> Bool {
        guard place.scope == .session, NearestName.to(item.service, among: here.items.map(\.service)) == nil else {
            return false
        }
        return place.namespace == SecretStore.defaultNamespace || !here.items.isEmpty
            || !elsewhere.contains { $0.scope == .session && !$0.items.isEmpty }
    }

    private func hintElsewhere(_ elsewhere: [Neighborhood]) -> String? {
        let holders = elsewhere.filter { $0.items.contains(where: isMeant) }
        guard let holder = holders.first else { return nil }
        let others = holders.count > 1 ? "; 'skr list --all \(service)' shows all places" : ""
        return "it is in \(holder.name(from: place)): add\(holder.options(from: place))\(others)"
    }

    private var service: String { Display.shellWord(item.service) }

    private func isMeant(_ other: ItemIdentity) -> Bool {
        guard item.kind.isOfSecrets else { return other == item }
        return other.kind.isOfSecrets && isNamesake(other)
            && (isAnyAccount || other.account == item.account)
    }

    private func isNamesake(_ other: ItemIdentity) -> Bool { other.service == item.service }

    /// Returns a hint about an item with the same name that belongs to another verb.
    private func hintAtOtherKind(in neighborhood: Neighborhood) -> String? {
        let options = neighborhood.options(from: place)
        let name = neighborhood.name(from: place)
        let whereabouts = name.isEmpty ? "" : " in \(name)"
        let kept = neighborhood.items.filter { $0.kind == .cached && isNamesake($0) }
        if let first = kept.first {
            let keys = kept.count == 1 ? CachedVariant.options(of: first.account) : nil
            let words = service + (keys ?? " --key ...") + options
            return
                "'\(item.service)' is an output stored by 'skr cached'\(whereabouts): 'skr cached \(words) ... -- CMD' "
                + "prints it; 'skr cached --forget \(words)' deletes it"
        }
        guard item.kind == .cached, neighborhood.items.contains(where: { $0.kind == .password && isNamesake($0) })
        else { return nil }
        return
            "'\(item.service)' is a secret stored by 'skr set'\(whereabouts): 'skr delete \(service)\(options)' "
            + "deletes it"
    }
}

/// The items that are stored in one namespace of one scope.
private struct Neighborhood {
    let scope: Place.Scope
    let namespace: String
    let items: [ItemIdentity]

    /// All namespaces of all scopes, read only once even if several items are missing.
    ///
    /// A place that can't be read is skipped, because there is already an error to report.
    private static let all: [Neighborhood] = {
        let survey = LoginSurvey()
        return Place.Scope.allCases.flatMap { scope in
            (try? survey.findings(in: scope.secretScope) { namespace in
                Neighborhood(
                    scope: scope, namespace: namespace.name, items: (try? namespace.store.identities()) ?? [])
            }) ?? []
        }
    }()

    /// Returns all namespaces except the place itself, the nearest first.
    ///
    /// First comes the same namespace in other scopes, then the other namespaces of the same scope, then the rest.
    static func others(of place: Place) -> [Neighborhood] {
        let others = all.filter { $0.scope != place.scope || !$0.isNamespace(of: place) }
            .sorted { $0.namespace < $1.namespace }
        return others.filter { $0.isNamespace(of: place) }
            + others.filter { !$0.isNamespace(of: place) && $0.scope == place.scope }
            + others.filter { !$0.isNamespace(of: place) && $0.scope != place.scope }
    }

    private func isNamespace(of place: Place) -> Bool { namespace == place.namespace }

    /// Returns in words how this namespace differs from the place.
    func name(from place: Place) -> String {
        [
            scope == place.scope ? nil : "the scope \(scope.rawValue)",
            isNamespace(of: place) ? nil : "the namespace \(namespace)",
        ].compactMap { $0 }.joined(separator: " and ")
    }

    /// Returns the options that select this namespace, each preceded by a space.
    func options(from place: Place) -> String { Place.options(scope, namespace, insteadOf: place) }
}
