import Glibc
package import Keyutils

/// Finds what is stored in the scopes of this login, and makes and renews nothing.
///
/// To resolve a scope does both: the kernel makes the user's keyring and the stand-in for a session where they are not there
/// yet, and makes the persistent keyring or starts its time anew. So the first two are resolved only where they are known to
/// be there, and of the persistent one, which its owner may read and not search, the serial is looked up in `/proc/keys`.
package struct LoginSurvey: Sendable {
    /// A namespace that is there.
    package struct Namespace: Sendable {
        package let name: String
        /// For looking only.
        package let store: SecretStore
    }

    private let table: KeyTable?
    /// Whether what is called like a keyring of ours can be one of outside of our user namespace.
    private let isApart: Bool

    /// Whether `/proc/keys` is shown; if it is hidden, it is not always known whether a scope's keyring is there.
    package var isTableShown: Bool { table != nil }

    package init() {
        table = KeyTable.ifShown()
        isApart = (try? UserNamespace.isIdentity()) == false
    }

    /// What `look` finds in each namespace of the scope; `nil` where nothing tells whether the scope's keyring is there.
    ///
    /// - Throws: ``SecretStoreError`` with `unavailable`, with what keeps the scope's keyring from being read, or as `look`
    ///   does.
    package func findings<Found>(
        in scope: SecretScope, _ look: (Namespace) throws(SecretStoreError) -> Found
    ) throws(SecretStoreError) -> [Found]? {
        for _ in 1..<SecondLooks.listings {
            do throws(SecretStoreError) {
                return try namespaces(in: scope)?.map(look)
            } catch {
                // One of the rings was replaced meanwhile.
                guard error.underlying?.isKeyGone == true else { throw error }
            }
        }
        return try namespaces(in: scope)?.map(look)
    }

    private func namespaces(in scope: SecretScope) throws(SecretStoreError) -> [Namespace]? {
        let anchor: Keyring?
        switch scope {
        case .persistent:
            anchor = persistentKeyring
            guard table != nil, anchor == nil || !isApart else { return nil }
        case .user:
            guard let isThere = try areUserKeyringsThere() else { return nil }
            anchor = isThere ? try scope.resolve() : nil
        default: anchor = try isInSession() ? try scope.resolve() : nil
        }
        guard let anchor else { return [] }
        do throws(KeyringError) {
            return try Self.rings(in: anchor).map { name, ring in
                let backend = KernelBackend(lookingAt: ring, namespace: name, under: anchor, access: scope.access)
                return Namespace(name: name, store: SecretStore(backend: backend))
            }
        } catch {
            throw SecretStoreError(error)
        }
    }

    /// The user's persistent keyring, if there is one.
    ///
    /// Anybody can make a keyring of that name, or a key whose line in `/proc/keys` looks like it.
    package var persistentKeyring: Keyring? {
        let name = "_persistent.\(geteuid())"
        return own(table?.unchargedKeyrings(named: name), named: name)
    }

    /// Whether the kernel has made the user's keyring and the stand-in for a session, which it makes together.
    private func areUserKeyringsThere() throws(SecretStoreError) -> Bool? {
        if let table {
            let name = "_uid_ses.\(getuid())"
            guard own(table.keyrings(named: name), named: name) != nil else { return false }
            return isApart ? nil : true
        }
        guard !isApart else { return nil }
        return try isPossessed("_uid.\(getuid())") ? true : nil
    }

    /// Whether something may be stored in the session, or in its stand-in: each has a ring for leases then.
    private func isInSession() throws(SecretStoreError) -> Bool {
        if try areUserKeyringsThere() == true { return true }
        return try isPossessed(NamespaceRings.leasesName)
    }

    /// Whether there is a keyring of that name among those of the session and the keyrings that it links.
    private func isPossessed(_ name: String) throws(SecretStoreError) -> Bool {
        do throws(KeyringError) {
            _ = try Key.request(.keyring, name)
            return true
        } catch {
            guard error.isKeyGoneOrRefused else { throw SecretStoreError(error) }
            return false
        }
    }

    /// The first of them that is ours.
    private func own(_ keyrings: [Keyring]?, named name: String) -> Keyring? {
        keyrings?.first { keyring in
            guard let key = try? Key(keyring).describe() else { return false }
            return key.type == .keyring && key.name == name && key.userID == geteuid()
        }
    }

    private static func rings(in anchor: Keyring) throws(KeyringError) -> [(name: String, ring: Keyring)] {
        var found: [(name: String, ring: Keyring)] = []
        for serial in try anchor.members() {
            do throws(KeyringError) {
                let key = try Key(serial).describe()
                guard key.type == .keyring, key.isExact,
                    let name = NamespaceRings.namespace(ofItemsName: key.name)
                else { continue }
                found.append((name, Keyring(serial)))
            } catch {
                // Gone, or nothing of ours.
                guard error.isKeyGoneOrRefused else { throw error }
            }
        }
        return found
    }
}
