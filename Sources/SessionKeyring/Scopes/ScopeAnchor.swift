import Glibc
package import Keyutils

/// What a scope stands for in this process: the keyring on which the store's own hang, and who else gets at it.
package struct ScopeAnchor: Sendable {
    /// Whose keyring it is.
    package enum Ownership: Hashable, Sendable {
        /// A keyring of this user.
        case own
        /// The stand-in for a session, `_uid_ses.N`: all processes of the user that have no session share it.
        case standIn
        /// A keyring of another user, that lets us in because we possess it.
        case foreign(userID: UInt32)
    }

    /// The keyring.
    package let keyring: Keyring
    /// Its name, owner and permissions.
    package let description: KeyDescription
    /// Whether the calling thread possesses it.
    package let isPossessed: Bool
    /// How many keys it links itself; `nil` where it can't be read.
    package let linkCount: Int?
    /// Whether it is the user keyring or links it.
    package let linksUserKeyring: Bool

    /// Looks at the keyring of a scope, and changes nothing.
    ///
    /// Only that for the persistent scope the kernel makes the keyring where there is none, and starts its time anew.
    ///
    /// - Throws: ``SecretStoreError`` with `sessionRevoked`, `unavailable`, `forbidden` or `notFound`.
    package init(lookingAt scope: SecretScope) throws(SecretStoreError) {
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
    }

    /// Whose keyring it is.
    package var ownership: Ownership {
        if description.userID != geteuid() { return .foreign(userID: description.userID) }
        return description.name.hasPrefix("_uid_ses.") ? .standIn : .own
    }

    /// Whether other sessions of the owner can link the keyring into their own, and then read all that is in it.
    package var admitsOwnersOtherSessions: Bool { description.permissions.contains(.userLink) }

    /// The name of a user's persistent keyring.
    package static func persistentName(ofUser userID: UInt32) -> String { "_persistent.\(userID)" }
}
