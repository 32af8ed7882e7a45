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
    case correctSources(command: String, remark: String?)

    /// The command to copy, with its remark as a comment.
    var line: String { remark.map { "\(command)  # \($0)" } ?? command }

    /// An explanation of the command.
    var remark: String? {
        switch self {
        case .sayScope: "shared with the processes outside, if they have a session keyring"
        case .listItems: "then delete the items that you no longer need: skr delete SERVICE"
        case .allowCalls: "PROFILE.json allows add_key, keyctl and request_key"
        case .allowMemoryLock: "PROFILE.json allows mlock2"
        case .newKernel: "boot a kernel of version 5.3 or later that is built with CONFIG_KEYS"
        case .showKeyrings(let reason): reason
        case .correctSources(_, let remark): remark
        case .newSession, .hideSession, .moreQuota, .raiseOwnLimit, .raiseLimit, .mountProc: nil
        }
    }

    /// The command to copy.
    var command: String {
        switch self {
        case .newSession: "exec skr session"
        case .hideSession(let permissions):
            "keyctl setperm @s 0x\(permissions.subtracting(ResolvedScope.lettingIn))"
        case .sayScope: "export SKR_SCOPE=session"
        case .moreQuota(let quota): Self.raising(quota)
        case .listItems: "skr list"
        // Linux grants 8 MiB by default.
        case .raiseOwnLimit: "ulimit -S -l 8192"
        case .raiseLimit: "sudo prlimit --pid $$ --memlock=8388608:8388608"
        case .mountProc: "sudo mount -t proc proc /proc"
        case .allowCalls, .allowMemoryLock: "docker run --security-opt seccomp=PROFILE.json IMAGE"
        case .newKernel: "uname -r"
        case .showKeyrings: "keyctl show"
        case .correctSources(let command, _): command
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

    /// Returns the command that raises each limit to that of the package skr-quota or, if it is as high already, to ten
    /// times the present one.
    ///
    /// If a keyring has 16,384 items or more, clearing it loses a part of an ordinary user's quota. So the command does
    /// not raise the number of keys above 16,000.
    private static func raising(_ quota: KeyQuota) -> String {
        func raised(_ limit: Int, package: Int, most: Int) -> Int {
            limit < package ? package : max(limit, min(limit * 10, most))
        }
        let highest = Int(Int32.max)
        let (prefix, most) = quota.isRoots ? ("root_", highest) : ("", 16_000)
        let keys = raised(quota.maximumKeys, package: KeyQuota.package.keys, most: most)
        let bytes = raised(quota.maximumBytes, package: KeyQuota.package.bytes, most: highest)
        return "sudo sysctl -w kernel.keys.\(prefix)maxkeys=\(keys) kernel.keys.\(prefix)maxbytes=\(bytes)"
    }
}

extension KeyQuota {
    /// The limits of the package skr-quota.
    fileprivate static let package = (keys: 2_000, bytes: 2_000_000)

    /// Whether the package skr-quota would raise a limit.
    package var isBelowPackage: Bool { maximumKeys < Self.package.keys || maximumBytes < Self.package.bytes }

    /// Root has its own limits, a thousand times higher than the limits of other users.
    fileprivate var isRoots: Bool { maximumKeys >= 1_000_000 }
}
