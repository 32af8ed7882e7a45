import Glibc
import Keyutils

/// Whether user ids here are those of the machine.
enum UserNamespaceCheck {
    static func finding() -> Finding {
        let isIdentity = try? UserNamespace.isIdentity()
        return Finding(
            check: check(isIdentity),
            facts: .object([
                "isInitial": JSONValue(isIdentity),
                "userID": JSONValue(geteuid()),
            ])
        )
    }

    private static func check(_ isIdentity: Bool?) -> DoctorCheck {
        switch isIdentity {
        case true?: .ok("user-namespace", "none: user ids are the machine's")
        case false?:
            .warning(
                "user-namespace",
                "in one of its own: its user and persistent scopes are not those of the same user outside",
                mend: "export SKR_SCOPE=session  # shared with what is outside, if that has a session keyring")
        case nil:
            .warning("user-namespace", "unknown: /proc/self/uid_map can't be read", mend: Mend.mountProc)
        }
    }
}
