import Glibc
import Keyutils
import SessionKeyring

/// The keyring that a scope means in this process, and who else can use it.
struct ResolvedScope: Sendable {
    /// The possible owners of the keyring.
    enum Ownership: Hashable, Sendable {
        case own
        /// `_uid_ses.N`, which all processes of the user without a session keyring share.
        case userSession
        /// Another user's keyring, which we possess.
        case foreign(userID: UInt32)
    }

    let keyring: Keyring
    let description: KeyDescription
    /// Whether the calling thread possesses it.
    let isPossessed: Bool
    /// The number of keys that the keyring links directly; `nil` if the keyring can't be read.
    let linkCount: Int?
    /// Whether it is the user keyring or links it.
    let linksUserKeyring: Bool
    /// Other users with keys in it or in a keyring that it links; they possess it too.
    let otherUsers: [UInt32]

    /// Resolves a scope and examines its keyring.
    ///
    /// This changes nothing, with one exception: for the persistent scope, the kernel creates the keyring or
    /// restarts its timeout.
    ///
    /// - Throws: ``SecretStoreError`` with `sessionRevoked`, `unavailable`, `forbidden` or `notFound`.
    init(lookingAt scope: SecretScope) throws(SecretStoreError) {
        let keyring = try scope.resolve()
        (description, isPossessed) = try SecretStoreError.translating { () throws(KeyringError) in
            (try Key(keyring).describe(), try keyring.isPossessed())
        }
        self.keyring = keyring
        let members = try? keyring.members()
        linkCount = members?.count
        let user = try? Keyring.resolve(.userKeyring)
        linksUserKeyring = user.map { $0 == keyring || members?.contains($0.serial) == true } ?? false
        otherUsers = Self.owners(of: members ?? []).subtracting([description.userID]).sorted()
    }

    /// Returns the owners of these keys, and of the keys in keyrings among them.
    private static func owners(of members: [KeySerial]) -> Set<UInt32> {
        var owners: Set<UInt32> = []
        for serial in members {
            // The owner of an unreadable key is unknown.
            guard let key = try? Key(serial).describe() else { continue }
            owners.insert(key.userID)
            guard key.type == .keyring, let nested = try? Keyring(serial).members() else { continue }
            for serial in nested {
                if let key = try? Key(serial).describe() { owners.insert(key.userID) }
            }
        }
        return owners
    }

    /// The owner of the keyring.
    var ownership: Ownership {
        if description.userID != geteuid() { return .foreign(userID: description.userID) }
        return description.name.hasPrefix("_uid_ses.") ? .userSession : .own
    }

    /// The permissions through which a process can gain possession of the keyring.
    ///
    /// They allow a process to link the keyring, or to give itself the permission to link it.
    static let lettingIn: KeyPermissions = [
        .userLink, .userSetAttribute, .groupLink, .groupSetAttribute, .otherLink, .otherSetAttribute,
    ]

    /// Whether processes outside of the session can link the keyring, and then read everything in it.
    var letsOthersIn: Bool { !description.permissions.isDisjoint(with: Self.lettingIn) }

    /// Whether other users' processes can link the keyring.
    var isOpenToOtherUsers: Bool {
        !description.permissions.isDisjoint(with: [.groupLink, .groupSetAttribute, .otherLink, .otherSetAttribute])
    }

    /// Whether the user's other processes can join the session by its name.
    var canBeJoinedByName: Bool { description.permissions.contains(.userSearch) }

    /// Whether this is a session of `skr session --name` or `--join`, which only the user's processes can join.
    var isNamedSession: Bool {
        canBeJoinedByName && !isOpenToOtherUsers && (try? NamedSession(description.name)) != nil
    }
}
