import Glibc
import Keyutils
import SessionKeyring

/// What a scope stands for in this process: the keyring on which the store's own hang, and who else gets at it.
struct ResolvedScope: Sendable {
    /// Whose keyring it is.
    enum Ownership: Hashable, Sendable {
        /// A keyring of this user.
        case own
        /// The stand-in for a session, `_uid_ses.N`: all processes of the user that have no session share it.
        case standIn
        /// A keyring of another user, that lets us in because we possess it.
        case foreign(userID: UInt32)
    }

    /// The keyring.
    let keyring: Keyring
    /// Its name, owner and permissions.
    let description: KeyDescription
    /// Whether the calling thread possesses it.
    let isPossessed: Bool
    /// How many keys it links itself; `nil` where it can't be read.
    let linkCount: Int?
    /// Whether it is the user keyring or links it.
    let linksUserKeyring: Bool
    /// The other users who have keys in it, or in a keyring that it links: they possess it as well.
    let otherUsers: [UInt32]

    /// Looks at the keyring of a scope, and changes nothing.
    ///
    /// Only that for the persistent scope the kernel makes the keyring where there is none, and starts its time anew.
    ///
    /// - Throws: ``SecretStoreError`` with `sessionRevoked`, `unavailable`, `forbidden` or `notFound`.
    init(lookingAt scope: SecretScope) throws(SecretStoreError) {
        let keyring = try scope.resolve()
        do throws(KeyringError) {
            description = try Key(keyring).describe()
            isPossessed = try keyring.isPossessed()
        } catch {
            throw SecretStoreError(error)
        }
        self.keyring = keyring
        let members = try? keyring.members()
        linkCount = members?.count
        let user = try? Keyring.resolve(.userKeyring)
        linksUserKeyring = user.map { $0 == keyring || members?.contains($0.serial) == true } ?? false
        otherUsers = Self.owners(of: members ?? []).subtracting([description.userID]).sorted()
    }

    /// Who owns these keys, and those in the keyrings among them.
    private static func owners(of members: [KeySerial]) -> Set<UInt32> {
        var owners: Set<UInt32> = []
        for serial in members {
            // One that can't be looked at tells nothing.
            guard let key = try? Key(serial).describe() else { continue }
            owners.insert(key.userID)
            guard key.type == .keyring, let nested = try? Keyring(serial).members() else { continue }
            for serial in nested {
                if let key = try? Key(serial).describe() { owners.insert(key.userID) }
            }
        }
        return owners
    }

    /// Whose keyring it is.
    var ownership: Ownership {
        if description.userID != geteuid() { return .foreign(userID: description.userID) }
        return description.name.hasPrefix("_uid_ses.") ? .standIn : .own
    }

    /// The permissions with which a process that does not possess the keyring can come to possess it: by linking it, or by
    /// giving itself that permission.
    static let lettingIn: KeyPermissions = [
        .userLink, .userSetAttribute, .groupLink, .groupSetAttribute, .otherLink, .otherSetAttribute,
    ]

    /// Whether processes outside of the session can link it into their own, and then read all that is in it.
    var letsOthersIn: Bool { !description.permissions.isDisjoint(with: Self.lettingIn) }

    /// Whether the user's other processes find the session by its name.
    var canBeJoinedByName: Bool { description.permissions.contains(.userSearch) }

    /// Whether the user has a persistent keyring; the kernel makes one for whoever asks for it by the call that gives it.
    ///
    /// Anybody may make a keyring of its name, and a line of `/proc/keys` that looks like one.
    static var isTherePersistentKeyring: Bool {
        let name = "_persistent.\(geteuid())"
        let found = (try? KeyTable.snapshot())?.unchargedKeyrings(named: name) ?? []
        return found.contains { keyring in
            guard let ring = try? Key(keyring).describe() else { return false }
            return ring.type == .keyring && ring.name == name && ring.userID == geteuid()
        }
    }
}
