import Keyutils
import SessionKeyring

/// A key that no well-behaved program makes.
enum OddKey: CaseIterable {
    /// A secret of another program, with the kernel's own permissions and no timeout. It must survive.
    case foreign
    case unreadable
    case unsearchable
    case revoked
    case expiring
    case logon
    case ring
    case unreadableRing
    case revokedRing
    case restrictedRing
    /// A keyring that contains keys with the library's own names.
    case nest

    /// The kinds that block nobody under any name, because they have another type than the library searches for.
    static let ofOtherTypes: [OddKey] = [.logon, .ring, .unreadableRing, .revokedRing, .restrictedRing, .nest]

    /// Makes an odd key in the calling thread's keyring.
    ///
    /// - Parameters:
    ///   - bytes: the payload, if the key has one.
    ///   - inner: the item inside a nest. The kernel searches keyrings inside keyrings, so a nest in the items' ring is
    ///     as good as the item itself.
    func make(_ name: String, _ bytes: [UInt8], inner: ItemIdentity) throws(KeyringError) -> Key {
        switch self {
        case .foreign, .unreadable, .unsearchable, .revoked, .expiring:
            try unsafe Keyring.thread.add(.user, name, payload: bytes.span.bytes)
        case .logon: try unsafe Keyring.thread.add(.logon, name, payload: bytes.span.bytes)
        case .ring, .unreadableRing, .revokedRing, .restrictedRing: Key(try Keyring.thread.addKeyring(name))
        case .nest: try makeNest(name, bytes, inner)
        }
    }

    /// Makes the key odd, once it is in its ring.
    func spoil(_ key: Key) throws(KeyringError) {
        switch self {
        case .foreign, .logon, .ring, .nest: break
        case .unreadable, .unreadableRing: try key.setPermissions([])
        case .unsearchable: try key.setPermissions([.possessorView, .possessorRead, .possessorSetAttribute])
        case .revoked, .revokedRing: try key.revoke()
        case .expiring: try key.setTimeout(KeyTimeout(.seconds(1)))
        case .restrictedRing: try Keyring(key.serial).restrict()
        }
    }

    private func makeNest(_ name: String, _ bytes: [UInt8], _ inner: ItemIdentity) throws(KeyringError) -> Key {
        let nest = try Keyring.thread.addKeyring(name)
        let items = try nest.addKeyring("skr:" + StressItems.namespace)
        _ = try unsafe items.add(.user, inner.keyDescription, payload: bytes.span.bytes)
        return Key(nest)
    }
}
