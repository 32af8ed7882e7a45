import Keyutils
import SessionKeyring

/// A command to copy that mends what the doctor finds.
package struct Mend: Equatable {
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

extension Mend {
    /// A session keyring for this shell and what it starts; the one before stays as it is.
    static let newSession = Mend(.newSession, "exec skr session")
    /// Container profiles mostly block the key facility.
    static let allowCalls = Mend(
        .allowCalls,
        "docker run --security-opt seccomp=PROFILE.json IMAGE  # PROFILE.json allows add_key, keyctl and request_key")
    static let newKernel = Mend(
        .newKernel, "uname -r  # boot a kernel of version 5.3 or later that is built with CONFIG_KEYS")
    static let mountProc = Mend(.mountProc, "sudo mount -t proc proc /proc")
    static let sayScope = Mend(
        .sayScope, "export SKR_SCOPE=session  # shared with what is outside, if that has a session keyring")
    static let listItems = Mend(.listItems, "skr list  # and delete what is no longer needed")
    /// 8 MiB is what Linux grants by default.
    static let raiseOwnLimit = Mend(.raiseOwnLimit, "ulimit -S -l 8192")
    static let raiseLimit = Mend(.raiseLimit, "sudo prlimit --pid $$ --memlock=8388608:8388608")

    /// Leaves the session to those who possess it, and takes no more from it than that.
    static func hideSession(_ permissions: KeyPermissions) -> Mend {
        Mend(.hideSession, "keyctl setperm @s 0x\(permissions.subtracting(ScopeAnchor.lettingIn))")
    }

    /// For what a scope could not do.
    static func command(for error: SecretStoreError, in scope: Place.Scope) -> Mend {
        switch error.code {
        case .restricted where scope == .session: newSession
        case .sessionRevoked, .forbidden, .foreignSession: newSession
        case .unavailable: allowCalls
        case .quotaExceeded(let quota): moreQuota(quota)
        default: Mend(.showKeyrings, "keyctl show  # \(error.remedy)")
        }
    }

    /// Ten times the room.
    static func moreQuota(_ quota: KeyQuota?) -> Mend {
        guard let quota else { return listItems }
        // Root has a limit of its own, a thousand times that of the others.
        let prefix = quota.maximumKeys >= 1_000_000 ? "root_" : ""
        let keys = min(quota.maximumKeys * 10, Int(Int32.max))
        let bytes = min(quota.maximumBytes * 10, Int(Int32.max))
        return Mend(
            .moreQuota, "sudo sysctl -w kernel.keys.\(prefix)maxkeys=\(keys) kernel.keys.\(prefix)maxbytes=\(bytes)")
    }
}
