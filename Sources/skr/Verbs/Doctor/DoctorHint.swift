package import Keyutils
import SessionKeyring

/// A command for the user that acts on one of the doctor's findings.
///
/// A test runs each command, or states why it can't.
package enum DoctorHint {
    /// Starts a new session keyring for this shell; the old one stays unchanged.
    case newSession
    /// Removes the session's permissions that let processes outside of the session use it.
    case hideSession(KeyPermissions)
    case sayScope
    case moreQuota(KeyQuota)
    case listItems
    case raiseOwnLimit, raiseLimit
    case mountProc
    /// Allows the system calls of the key facility, which most container profiles block.
    case allowCalls
    case allowMemoryLock
    case newKernel
    case showKeyrings(reason: String)
    case correctSources(command: String)

    /// The command to copy.
    var command: String {
        switch self {
        case .newSession: "exec skr session"
        case .hideSession(let permissions):
            "keyctl setperm @s 0x\(permissions.subtracting(ResolvedScope.lettingIn))"
        case .sayScope: "export SKR_SCOPE=session  # shared with the processes outside, if they have a session keyring"
        case .moreQuota(let quota): Self.raising(quota)
        case .listItems: "skr list  # then delete the items that you no longer need: skr delete SERVICE"
        // Linux grants 8 MiB by default.
        case .raiseOwnLimit: "ulimit -S -l 8192"
        case .raiseLimit: "sudo prlimit --pid $$ --memlock=8388608:8388608"
        case .mountProc: "sudo mount -t proc proc /proc"
        case .allowCalls:
            "docker run --security-opt seccomp=PROFILE.json IMAGE  # PROFILE.json allows add_key, keyctl and request_key"
        case .allowMemoryLock:
            "docker run --security-opt seccomp=PROFILE.json IMAGE  # PROFILE.json allows mlock2"
        case .newKernel: "uname -r  # boot a kernel of version 5.3 or later that is built with CONFIG_KEYS"
        case .showKeyrings(let reason): "keyctl show  # \(reason)"
        case .correctSources(let command): command
        }
    }

    /// Creates the hint for an error in this scope.
    init(for error: SecretStoreError, in scope: Place.Scope) {
        switch error.code {
        case .forbidden where error.detail != nil && scope != .session: self = .showKeyrings(reason: error.hint)
        case .sessionRevoked, .forbidden, .foreignSession: self = .newSession
        case .unavailable: self = .allowCalls
        case .quotaExceeded: self = error.quota.map(Self.moreQuota) ?? .listItems
        default: self = .showKeyrings(reason: error.hint)
        }
    }

    /// Returns the command that makes the quota ten times larger.
    private static func raising(_ quota: KeyQuota) -> String {
        // Root has its own limits, a thousand times higher than the limits of other users.
        let prefix = quota.maximumKeys >= 1_000_000 ? "root_" : ""
        let keys = min(quota.maximumKeys * 10, Int(Int32.max))
        let bytes = min(quota.maximumBytes * 10, Int(Int32.max))
        return "sudo sysctl -w kernel.keys.\(prefix)maxkeys=\(keys) kernel.keys.\(prefix)maxbytes=\(bytes)"
    }
}
