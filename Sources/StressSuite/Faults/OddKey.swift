import Keyutils
import SessionKeyring

/// A key that no well-behaved program makes.
enum OddKey: CaseIterable {
    /// A secret of another program, with the kernel's own permissions and no timeout; it must survive.
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
    /// A keyring with keys of the library's own names in it.
    case nest

    /// Those that block no one under any name, because they are of another type than what is searched there.
    static let ofOtherTypes: [OddKey] = [.logon, .ring, .unreadableRing, .revokedRing, .restrictedRing, .nest]

    /// Makes one in the calling thread's keyring.
    ///
    /// - Parameters:
    ///   - bytes: what is in it, if anything is.
    ///   - inner: the item that is in a nest. The kernel searches keyrings inside keyrings, so one in the items' ring is
    ///     as good as an item itself.
    func make(_ name: String, _ bytes: [UInt8], inner: ItemIdentity) throws(KeyringError) -> Key {
        switch self {
        case .foreign, .unreadable, .unsearchable, .revoked, .expiring:
            try unsafe Keyring.thread.add(.user, name, payload: bytes.span.bytes)
        case .logon: try unsafe Keyring.thread.add(.logon, name, payload: bytes.span.bytes)
        case .ring, .unreadableRing, .revokedRing, .restrictedRing: Key(try Keyring.thread.addKeyring(name))
        case .nest: try makeNest(name, bytes, inner)
        }
    }

    /// Makes it odd, once it is in its place.
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
