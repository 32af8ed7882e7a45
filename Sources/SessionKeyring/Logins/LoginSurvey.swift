import Glibc
package import Keyutils

/// Finds the items in the scopes of this login, without creating or renewing a keyring.
///
/// Resolving a scope can do both. If the user's keyring and the stand-in for a session don't exist, the kernel creates
/// them. For the persistent keyring, it creates the keyring or restarts its expiry time. So the survey resolves the
/// first two only if they are known to exist. The owner can read the persistent keyring but not search it, so the
/// survey looks up its serial in `/proc/keys`.
package struct LoginSurvey: Sendable {
    /// A namespace that exists.
    package struct Namespace: Sendable {
        package let name: String
        /// A store that is only for reading.
        package let store: SecretStore
    }

    private let table: KeyTable?
    /// Whether a keyring that has one of our names can come from outside our user namespace.
    private let isApart: Bool

    /// Whether `/proc/keys` is shown.
    ///
    /// If it is hidden, the survey sometimes can't know whether a scope's keyring exists.
    package var isTableShown: Bool { table != nil }

    package init() {
        table = KeyTable.ifShown()
        isApart = (try? UserNamespace.isIdentity()) == false
    }

    /// Runs `look` on each namespace of the scope, and returns the results.
    ///
    /// - Returns: `nil` if it is unknown whether the scope's keyring exists.
    /// - Throws: ``SecretStoreError`` with `unavailable`, or with the code that explains why the scope's keyring can't
    ///   be read; the error of `look`.
    package func findings<Found>(
        in scope: SecretScope, _ look: (Namespace) throws(SecretStoreError) -> Found
    ) throws(SecretStoreError) -> [Found]? {
        for _ in 1..<SecondLooks.listings {
            do throws(SecretStoreError) {
                return try namespaces(in: scope)?.map(look)
            } catch {
                // One of the rings was replaced between two calls.
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
        let rings = try inStoreTerms { () throws(KeyringError) in try Self.rings(in: anchor) }
        return rings.map { name, ring in
            let backend = KernelBackend(lookingAt: ring, namespace: name, under: anchor, access: scope.access)
            return Namespace(name: name, store: SecretStore(backend: backend))
        }
    }

    /// The user's persistent keyring, if there is one.
    ///
    /// Any user can create a keyring with that name, or a key whose line in `/proc/keys` looks like it. So this accepts
    /// only a keyring that no quota is charged for, as only the kernel makes them, and that belongs to the user.
    package var persistentKeyring: Keyring? {
        let name = "_persistent.\(geteuid())"
        return own(table?.unchargedKeyrings(named: name), named: name)
    }

    /// Whether the kernel has created the user's keyring and the stand-in for a session; `nil` if unknown.
    ///
    /// The kernel creates both together.
    private func areUserKeyringsThere() throws(SecretStoreError) -> Bool? {
        if let table {
            let name = "_uid_ses.\(getuid())"
            guard own(table.keyrings(named: name), named: name) != nil else { return false }
            return isApart ? nil : true
        }
        guard !isApart else { return nil }
        return try isPossessed("_uid.\(getuid())") ? true : nil
    }

    /// Whether the session, or its stand-in, can contain items: if so, it also contains a ring for leases.
    private func isInSession() throws(SecretStoreError) -> Bool {
        if try areUserKeyringsThere() == true { return true }
        return try isPossessed(NamespaceRings.leasesName)
    }

    /// Whether a search of the session and the keyrings that it links finds a keyring with this name.
    private func isPossessed(_ name: String) throws(SecretStoreError) -> Bool {
        try inStoreTerms { () throws(KeyringError) in
            try unlessGoneOrRefused { () throws(KeyringError) in try Key.request(.keyring, name) } != nil
        }
    }

    /// Returns the first of these keyrings that really has this name and belongs to the user.
    private func own(_ keyrings: [Keyring]?, named name: String) -> Keyring? {
        keyrings?.first { keyring in
            guard let key = try? Key(keyring).describe() else { return false }
            return key.type == .keyring && key.name == name && key.userID == geteuid()
        }
    }

    static func rings(in anchor: Keyring) throws(KeyringError) -> [(name: String, ring: Keyring)] {
        var found: [(name: String, ring: Keyring)] = []
        for serial in try anchor.members() {
            // Skip a key that has vanished, or that does not belong to us.
            try unlessGoneOrRefused { () throws(KeyringError) in
                let key = try Key(serial).describe()
                guard key.type == .keyring, key.isExact,
                    let name = NamespaceRings.namespace(ofItemsName: key.name)
                else { return }
                found.append((name, Keyring(serial)))
            }
        }
        return found
    }
}

extension SecretStore {
    /// Removes the keyrings of the scope's empty namespaces, except this store's own.
    package func removeEmptyNamespaces() throws(SecretStoreError) {
        _ = try (backend as? KernelBackend)?.rings.removeEmptyRings(Effort())
    }

    /// The names of the namespaces in the keyring that this store's scope stands for.
    package func namespaces() throws(SecretStoreError) -> [String] {
        guard let place = backend.place else { return [] }
        // A thread can use the persistent keyring only after it has linked it into its own keyring.
        let anchor = try place.scope == .persistent ? place.scope.resolve() : Keyring(place.anchor)
        return try inStoreTerms { () throws(KeyringError) in try LoginSurvey.rings(in: anchor).map(\.name) }
    }
}
