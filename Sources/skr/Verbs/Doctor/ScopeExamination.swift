import CommandSupport
import Keyutils
import SessionKeyring

/// One scope's keyring in this process, and whether it keeps a secret.
struct ScopeExamination {
    let name: Place.Scope
    /// Whether SKR_SCOPE is session, which means this session even if another user owns it.
    private let isMeant: Bool
    private(set) var resolved: ResolvedScope?
    private(set) var probe: ScopeProbe?
    private(set) var itemCount: Int?
    private(set) var failure: SecretStoreError?

    /// Examines the scope's keyring, and probes it.
    ///
    /// Asking the kernel for a persistent keyring creates one. So the persistent scope is examined only if its keyring
    /// exists already or SKR_SCOPE is persistent.
    ///
    /// - Throws: ``SecretStoreError`` with `invalidName` for the namespace. Every other error becomes a finding.
    init(of name: Place.Scope, place: Place) throws(SecretStoreError) {
        self.name = name
        self.isMeant = place.secretScope == .sharedSession
        guard name != .persistent || place.scope == .persistent || LoginSurvey().persistentKeyring != nil else {
            return
        }
        do throws(SecretStoreError) {
            let resolved = try ResolvedScope(lookingAt: name.secretScope)
            self.resolved = resolved
            itemCount = try SecretStore(name.secretScope, namespace: place.namespace).identities().count
            probe = try ScopeProbe(in: name.secretScope)
        } catch {
            if case .invalidName = error.code { throw error }
            failure = error
        }
    }

    func finding() -> Finding {
        let id = name.rawValue
        if let failure {
            let place = resolved.map { " (\(detail(of: $0)))" } ?? ""
            return .problem(id, "\(failure)\(place)", hint: DoctorHint(for: failure, in: name), facts)
        }
        guard let resolved else {
            let text = "not tried, because that could create the keyring; to try: SKR_SCOPE=persistent skr doctor"
            return .ok(id, text, facts)
        }
        let proof = "a secret was stored and read back (\(detail(of: resolved)))"
        guard name == .session else { return .ok(id, proof, facts) }
        guard let weakness = resolved.sessionWeakness(isMeant: isMeant) else {
            guard resolved.isNamedSession else { return .ok(id, proof, facts) }
            let session = "session \(Display.quoted(resolved.description.name))"
            return .ok(id, "\(session), which all your processes can join and read; \(proof)", facts)
        }
        return .warning(id, "\(weakness.text); \(proof)", hint: weakness.hint, facts)
    }

    /// Whether skr stores secrets in this scope.
    ///
    /// In another user's session, it does only if the scope is given explicitly.
    var isUsable: Bool {
        guard probe != nil else { return false }
        if name == .session, !isMeant, case .foreign? = resolved?.ownership { return false }
        return true
    }

    private func detail(of resolved: ResolvedScope) -> String {
        let possession = resolved.isPossessed ? "possessed" : "not possessed"
        let links = resolved.linksUserKeyring ? "links the user keyring" : "does not link the user keyring"
        let (ring, name) = (resolved.description, Display.plain(resolved.description.name))
        return
            "keyring \(resolved.keyring) \(name), uid \(ring.userID), "
            + "\(ring.permissions), \(possession)\(self.name == .session ? ", \(links)" : "")"
    }

    /// The same names for every scope; unknown values are null.
    private var facts: JSONValue {
        let wasTried = resolved != nil || failure != nil
        return .object([
            "serial": JSONValue(resolved?.keyring.serial.rawValue),
            "name": JSONValue(resolved?.description.name),
            "uid": JSONValue(resolved?.description.userID),
            "gid": JSONValue(resolved?.description.groupID),
            "permissions": JSONValue(resolved?.description.permissions.description),
            "possessed": JSONValue(resolved?.isPossessed),
            "linksUserKeyring": JSONValue(resolved?.linksUserKeyring),
            "otherUsers": (resolved?.otherUsers).map { .array($0.map { JSONValue($0) }) } ?? .null,
            "keys": JSONValue(resolved?.linkCount),
            "items": JSONValue(itemCount),
            "usable": JSONValue(wasTried ? probe != nil : nil),
        ])
    }
}

extension ResolvedScope {
    /// Returns the problem with this session; `nil` if it is a session and private to this user.
    ///
    /// - Parameter isMeant: whether the store uses the session even if another user owns it.
    fileprivate func sessionWeakness(isMeant: Bool) -> (text: String, hint: DoctorHint)? {
        let user = description.userID
        switch ownership {
        case .foreign(let owner):
            let storing = isMeant ? "with SKR_SCOPE=session, skr stores in it anyway" : "skr refuses to store in it"
            return (
                "session of uid \(owner), who can read the secrets in it and replace them; \(storing)",
                .newSession
            )
        case .userSession:
            let text = "no session keyring: all processes of uid \(user) without a session share \(description.name)"
            return (text, .newSession)
        case .own where !otherUsers.isEmpty:
            let others = otherUsers.map { "uid \($0)" }.joined(separator: ", ")
            return ("other users store in this session, and can read the secrets in it: \(others)", .newSession)
        case .own where isNamedSession: return nil
        case .own where canBeJoinedByName && !isOpenToOtherUsers:
            // Removing the permission would not help: a process that joins the name would create another,
            // empty session.
            return ("any process of uid \(user) can join this session by its name and read it", .newSession)
        case .own where letsOthersIn:
            let who = isOpenToOtherUsers ? "processes of other users" : "any process of uid \(user)"
            return ("\(who) can link this session and read it", .hideSession(description.permissions))
        case .own: return nil
        }
    }
}
