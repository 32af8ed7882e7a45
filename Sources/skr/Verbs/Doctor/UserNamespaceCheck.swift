import Glibc
import Keyutils

/// Whether user ids here are those of the machine.
enum UserNamespaceCheck {
    static func finding(place: Place) -> Finding {
        let isIdentity = try? UserNamespace.isIdentity()
        return Finding(
            check: check(isIdentity, isSessionMeant: place.secretScope == .sharedSession),
            facts: .object([
                "isInitial": JSONValue(isIdentity),
                "userID": JSONValue(geteuid()),
            ])
        )
    }

    private static func check(_ isIdentity: Bool?, isSessionMeant: Bool) -> DoctorCheck {
        let inOneOfItsOwn = "in one of its own: its user and persistent scopes are not those of the same user outside"
        return switch isIdentity {
        case true?: .ok("user-namespace", "none: user ids are the machine's")
        case false? where isSessionMeant:
            .ok("user-namespace", "\(inOneOfItsOwn); SKR_SCOPE is session, which is shared")
        case false?: .warning("user-namespace", inOneOfItsOwn, hint: DoctorHint.sayScope)
        case nil: .warning("user-namespace", "unknown: /proc/self/uid_map can't be read", hint: DoctorHint.mountProc)
        }
    }
}
