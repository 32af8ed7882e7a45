package import Keyutils
import SessionKeyring

/// What to do about what the doctor finds.
///
/// A test runs each command, or says why it can't.
package enum DoctorHint {
    /// A new session keyring for this shell; the old one stays as it is.
    case newSession
    /// Of these permissions of the session, takes away those that let in processes outside of it.
    case hideSession(KeyPermissions)
    case sayScope
    case moreQuota(KeyQuota)
    case listItems
    case raiseOwnLimit, raiseLimit
    case mountProc
    /// Most container profiles block the key facility.
    case allowCalls
    case allowMemoryLock
    case newKernel
    case showKeyrings(reason: String)

    /// The command to copy.
    var command: String {
        switch self {
        case .newSession: "exec skr session"
        case .hideSession(let permissions):
            "keyctl setperm @s 0x\(permissions.subtracting(ResolvedScope.lettingIn))"
        case .sayScope: "export SKR_SCOPE=session  # shared with what is outside, if that has a session keyring"
        case .moreQuota(let quota): Self.raising(quota)
        case .listItems: "skr list  # and delete what is no longer needed"
        // 8 MiB is what Linux grants by default.
        case .raiseOwnLimit: "ulimit -S -l 8192"
        case .raiseLimit: "sudo prlimit --pid $$ --memlock=8388608:8388608"
        case .mountProc: "sudo mount -t proc proc /proc"
        case .allowCalls:
            "docker run --security-opt seccomp=PROFILE.json IMAGE  # PROFILE.json allows add_key, keyctl and request_key"
        case .allowMemoryLock:
            "docker run --security-opt seccomp=PROFILE.json IMAGE  # PROFILE.json allows mlock2"
        case .newKernel: "uname -r  # boot a kernel of version 5.3 or later that is built with CONFIG_KEYS"
        case .showKeyrings(let reason): "keyctl show  # \(reason)"
        }
    }

    /// What to do about an error in this scope.
    init(for error: SecretStoreError, in scope: Place.Scope) {
        switch error.code {
        case .forbidden where error.detail != nil && scope != .session: self = .showKeyrings(reason: error.hint)
        case .sessionRevoked, .forbidden, .foreignSession: self = .newSession
        case .unavailable: self = .allowCalls
        case .quotaExceeded: self = error.quota.map(Self.moreQuota) ?? .listItems
        default: self = .showKeyrings(reason: error.hint)
        }
    }

    /// Ten times the room.
    private static func raising(_ quota: KeyQuota) -> String {
        // Root has a limit of its own, a thousand times that of the others.
        let prefix = quota.maximumKeys >= 1_000_000 ? "root_" : ""
        let keys = min(quota.maximumKeys * 10, Int(Int32.max))
        let bytes = min(quota.maximumBytes * 10, Int(Int32.max))
        return "sudo sysctl -w kernel.keys.\(prefix)maxkeys=\(keys) kernel.keys.\(prefix)maxbytes=\(bytes)"
    }
}
