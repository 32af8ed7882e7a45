import Keyutils
import SessionKeyring

/// The commands that mend what the doctor finds.
enum Mend {
    /// A session keyring for this shell and what it starts.
    static let newSession = "exec skr session"
    /// Container profiles mostly block the key facility.
    static let allowCalls =
        "docker run --security-opt seccomp=PROFILE.json IMAGE  # PROFILE.json allows add_key, keyctl and request_key"
    static let newKernel = "uname -r  # boot a kernel of version 5.3 or later that is built with CONFIG_KEYS"
    static let mountProc = "sudo mount -t proc proc /proc"
    static let hideSession = "keyctl setperm @s 0x3f030000"

    /// For what a scope could not do.
    static func command(for error: SecretStoreError) -> String {
        switch error.code {
        case .sessionRevoked: newSession
        case .unavailable: allowCalls
        case .quotaExceeded(let quota): moreQuota(quota)
        case .forbidden, .foreignSession: newSession
        default: "keyctl show  # \(error.remedy)"
        }
    }

    /// Ten times the room.
    static func moreQuota(_ quota: KeyQuota?) -> String {
        guard let quota else { return "skr list  # and delete what is no longer needed" }
        // Root has a limit of its own, a thousand times that of the others.
        let prefix = quota.maximumKeys >= 1_000_000 ? "root_" : ""
        let keys = min(quota.maximumKeys * 10, Int(Int32.max))
        let bytes = min(quota.maximumBytes * 10, Int(Int32.max))
        return "sudo sysctl -w kernel.keys.\(prefix)maxkeys=\(keys) kernel.keys.\(prefix)maxbytes=\(bytes)"
    }
}
