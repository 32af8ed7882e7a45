import Keyutils
import SessionKeyring

/// What to do about what the doctor finds: a command to copy.
package struct DoctorHint: Equatable {
    /// What it does; each is run by a test, or listed there with why it can't be.
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
    /// A session keyring for this shell and what it starts; the one before stays as it is.
    static let newSession = DoctorHint(.newSession, "exec skr session")
    /// Container profiles mostly block the key facility.
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

    /// Leaves the session to those who possess it, and takes no more from it than that.
    static func hideSession(_ permissions: KeyPermissions) -> DoctorHint {
        DoctorHint(.hideSession, "keyctl setperm @s 0x\(permissions.subtracting(ResolvedScope.lettingIn))")
    }

    /// For what a scope could not do.
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
