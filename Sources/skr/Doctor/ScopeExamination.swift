import CommandConventions
import Glibc
import Keyutils
import SessionKeyring

/// What a scope stands for here, and whether it keeps a secret.
struct ScopeExamination {
    let name: Place.Scope
    private(set) var anchor: ScopeAnchor?
    private(set) var trial: ScopeTrial?
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
        guard name != .persistent || place.scope == .persistent || Self.hasPersistentKeyring else { return }
        do throws(SecretStoreError) {
            let anchor = try ScopeAnchor(lookingAt: name.secretScope)
            self.anchor = anchor
            itemCount = try SecretStore(name.secretScope, namespace: place.namespace).identities().count
            trial = try ScopeTrial(in: name.secretScope)
        } catch {
            if case .invalidName = error.code { throw error }
            failure = error
        }
    }

    func finding() -> Finding {
        Finding(check: check, facts: facts)
    }

    private static var hasPersistentKeyring: Bool {
        let name = ScopeAnchor.persistentName(ofUser: geteuid())
        return (try? KeyTable.snapshot())?.keyring(named: name) != nil
    }

    private var check: DoctorCheck {
        let id = name.rawValue
        if let failure {
            let place = anchor.map { "\(detail(of: $0)): " } ?? ""
            return .problem(id, "\(place)\(failure)", mend: Mend.command(for: failure))
        }
        guard let anchor else {
            return .ok(id, "not tried: none is known of, and asking makes one; 'SKR_SCOPE=persistent skr doctor' asks")
        }
        let proof = "a secret was stored and read back in \(detail(of: anchor))"
        guard let weakness = name == .session ? anchor.sessionWeakness : nil else { return .ok(id, proof) }
        return .warning(id, "\(weakness.text); \(proof)", mend: weakness.mend)
    }

    private func detail(of anchor: ScopeAnchor) -> String {
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
            "keys": JSONValue(anchor?.linkCount),
            "items": JSONValue(itemCount),
            "usable": JSONValue(wasTried ? trial != nil : nil),
        ])
    }
}

extension ScopeAnchor {
    /// What a session should not be.
    fileprivate var sessionWeakness: (text: String, mend: String)? {
        switch ownership {
        case .standIn:
            (
                "no session keyring: shares \(description.name) with all session-less processes of uid "
                    + "\(description.userID)", Mend.newSession
            )
        case .foreign(let owner): ("session of uid \(owner), who can read what is stored in it", Mend.newSession)
        case .own where admitsOwnersOtherSessions:
            ("any process of uid \(description.userID) can link this session and read it", Mend.hideSession)
        case .own: nil
        }
    }
}
