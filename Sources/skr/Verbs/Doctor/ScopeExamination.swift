import CommandSupport
import Glibc
import Keyutils
import SessionKeyring

/// What a scope stands for here, and whether it keeps a secret.
struct ScopeExamination {
    let name: Place.Scope
    /// Whether SKR_SCOPE says that the session is meant, whoever owns it.
    private let isMeant: Bool
    private(set) var anchor: ResolvedScope?
    private(set) var probe: ScopeProbe?
    private(set) var itemCount: Int?
    private(set) var failure: SecretStoreError?

    /// Looks, and tries.
    ///
    /// Asking for a persistent keyring makes it, so that is left alone where there is none, unless it is what the next
    /// command would use anyway.
    ///
    /// - Throws: ``SecretStoreError`` with `invalidName` for the namespace; all else is a finding.
    init(of name: Place.Scope, place: Place) throws(SecretStoreError) {
        self.name = name
        self.isMeant = place.secretScope == .sharedSession
        guard name != .persistent || place.scope == .persistent || ResolvedScope.isTherePersistentKeyring else {
            return
        }
        do throws(SecretStoreError) {
            let anchor = try ResolvedScope(lookingAt: name.secretScope)
            self.anchor = anchor
            itemCount = try SecretStore(name.secretScope, namespace: place.namespace).identities().count
            probe = try ScopeProbe(in: name.secretScope)
        } catch {
            if case .invalidName = error.code { throw error }
            failure = error
        }
    }

    func finding() -> Finding {
        Finding(check: check, facts: facts)
    }

    private var check: DoctorCheck {
        let id = name.rawValue
        if let failure {
            let place = anchor.map { "\(detail(of: $0)): " } ?? ""
            return .problem(id, "\(place)\(failure)", hint: DoctorHint.command(for: failure, in: name))
        }
        guard let anchor else {
            return .ok(id, "not tried: none is known of, and asking makes one; 'SKR_SCOPE=persistent skr doctor' asks")
        }
        let proof = "a secret was stored and read back in \(detail(of: anchor))"
        guard name == .session, let weakness = anchor.sessionWeakness(isMeant: isMeant) else { return .ok(id, proof) }
        return .warning(id, "\(weakness.text); \(proof)", hint: weakness.hint)
    }

    private func detail(of anchor: ResolvedScope) -> String {
        let possession = anchor.isPossessed ? "possessed" : "not possessed"
        let links = anchor.linksUserKeyring ? "links the user keyring" : "does not link the user keyring"
        return "keyring \(anchor.keyring) \(Display.plain(anchor.description.name)) (uid \(anchor.description.userID), "
            + "\(anchor.description.permissions), \(possession)\(name == .session ? ", \(links)" : ""))"
    }

    /// The same names for every scope; what is not known, or was not looked at, is null.
    private var facts: JSONValue {
        let wasTried = anchor != nil || failure != nil
        return .object([
            "serial": JSONValue(anchor?.keyring.serial.rawValue),
            "name": JSONValue(anchor?.description.name),
            "uid": JSONValue(anchor?.description.userID),
            "gid": JSONValue(anchor?.description.groupID),
            "permissions": JSONValue(anchor?.description.permissions.description),
            "possessed": JSONValue(anchor?.isPossessed),
            "linksUserKeyring": JSONValue(anchor?.linksUserKeyring),
            "otherUsers": (anchor?.otherUsers).map { .array($0.map { JSONValue($0) }) } ?? .null,
            "keys": JSONValue(anchor?.linkCount),
            "items": JSONValue(itemCount),
            "usable": JSONValue(wasTried ? probe != nil : nil),
        ])
    }
}

extension ResolvedScope {
    /// What a session should not be.
    ///
    /// - Parameter isMeant: whether a foreign one is used all the same.
    fileprivate func sessionWeakness(isMeant: Bool) -> (text: String, hint: DoctorHint)? {
        let user = description.userID
        switch ownership {
        case .foreign(let owner):
            let storing = isMeant ? "SKR_SCOPE=session stores in it all the same" : "storing is refused there"
            return (
                "session of uid \(owner), who can read what is stored in it and plant what is read; \(storing)",
                DoctorHint.newSession
            )
        case .standIn:
            return (
                "no session keyring: shares \(description.name) with all session-less processes of uid \(user)",
                DoctorHint.newSession
            )
        case .own where !otherUsers.isEmpty:
            let others = otherUsers.map { "uid \($0)" }.joined(separator: ", ")
            return ("\(others) stores in this session too, and can read what is in it", DoctorHint.newSession)
        case .own where canBeJoinedByName:
            // Taking the permission away would leave the name to another, empty session.
            return ("any process of uid \(user) can join this session by its name and read it", DoctorHint.newSession)
        case .own where letsOthersIn:
            return (
                "any process of uid \(user) can link this session and read it",
                DoctorHint.hideSession(description.permissions)
            )
        case .own: return nil
        }
    }
}
