import Keyutils
import SessionKeyring

/// What to do about what the doctor finds: a command to copy.
package struct DoctorHint: Equatable {
    /// A test runs each of them, or says why it can't.
    package enum Kind: CaseIterable {
        case newSession, hideSession, sayScope
        case moreQuota, listItems, raiseOwnLimit, raiseLimit
        case mountProc, allowCalls, newKernel, showKeyrings
    }

    let kind: Kind
    let command: String

    private init(_ kind: Kind, _ command: String) {
        self.kind = kind
        self.command = command
    }
}

extension DoctorHint {
    /// A new session keyring for this shell; the old one stays as it is.
    static let newSession = DoctorHint(.newSession, "exec skr session")
    /// Most container profiles block the key facility.
    static let allowCalls = DoctorHint(
        .allowCalls,
        "docker run --security-opt seccomp=PROFILE.json IMAGE  # PROFILE.json allows add_key, keyctl and request_key")
    static let newKernel = DoctorHint(
        .newKernel, "uname -r  # boot a kernel of version 5.3 or later that is built with CONFIG_KEYS")
    static let mountProc = DoctorHint(.mountProc, "sudo mount -t proc proc /proc")
    static let sayScope = DoctorHint(
        .sayScope, "export SKR_SCOPE=session  # shared with what is outside, if that has a session keyring")
    static let listItems = DoctorHint(.listItems, "skr list  # and delete what is no longer needed")
    /// 8 MiB is what Linux grants by default.
    static let raiseOwnLimit = DoctorHint(.raiseOwnLimit, "ulimit -S -l 8192")
    static let raiseLimit = DoctorHint(.raiseLimit, "sudo prlimit --pid $$ --memlock=8388608:8388608")

    /// Takes away only the permissions that let in those who don't possess the session.
    static func hideSession(_ permissions: KeyPermissions) -> DoctorHint {
        DoctorHint(.hideSession, "keyctl setperm @s 0x\(permissions.subtracting(ResolvedScope.lettingIn))")
    }

    /// What to do about an error in this scope.
    static func command(for error: SecretStoreError, in scope: Place.Scope) -> DoctorHint {
        switch error.code {
        case .restricted where scope == .session: newSession
        case .sessionRevoked, .forbidden, .foreignSession: newSession
        case .unavailable: allowCalls
        case .quotaExceeded: moreQuota(error.quota)
        default: DoctorHint(.showKeyrings, "keyctl show  # \(error.hint)")
        }
    }

    /// Ten times the room.
    static func moreQuota(_ quota: KeyQuota?) -> DoctorHint {
        guard let quota else { return listItems }
        // Root has a limit of its own, a thousand times that of the others.
        let prefix = quota.maximumKeys >= 1_000_000 ? "root_" : ""
        let keys = min(quota.maximumKeys * 10, Int(Int32.max))
        let bytes = min(quota.maximumBytes * 10, Int(Int32.max))
        return DoctorHint(
            .moreQuota, "sudo sysctl -w kernel.keys.\(prefix)maxkeys=\(keys) kernel.keys.\(prefix)maxbytes=\(bytes)")
    }
}
