import Glibc
import Keyutils
import SessionKeyring

/// Defects that the library once had, put back to check that the search finds them.
///
/// Each makes no more calls than are needed to show the defect.
enum Defects {
    private static let permissions = KeyPermissions.possessorAll

    private static func itemsRing(in anchor: Keyring) throws(KeyringError) -> Keyring {
        try anchor.search(keyring: "skr:" + SceneItem.namespace)
    }

    private static func stage(_ value: String, _ item: ItemIdentity) throws(KeyringError) -> Key {
        let payload = Array(value.utf8)
        let key = try Keyring.thread.add(.user, item.keyDescription, payload: payload.span.bytes)
        try key.setPermissions(permissions)
        return key
    }

    private static func isLive(_ item: ItemIdentity, in ring: Keyring) throws(KeyringError) -> Bool {
        do throws(KeyringError) {
            _ = try ring.search(.user, item.keyDescription)
            return true
        } catch {
            guard [.notFound, .expired, .revoked].contains(error.code) else { throw error }
            return false
        }
    }

    /// Unlinks dead-looking rings by name, and so may unlink another process's new ring.
    static func set(_ value: String, for item: ItemIdentity, replacingDeadRingIn anchor: Keyring) throws {
        for _ in 0..<10 {
            do throws(KeyringError) {
                let ring = try itemsRing(in: anchor)
                try Keyring.thread.move(stage(value, item), to: ring)
                return
            } catch {
                guard [.revoked, .notFound].contains(error.code) else { throw error }
                for serial in try anchor.members() where (try? Key(serial).describe()) == nil {
                    try? anchor.unlink(Key(serial))
                }
                let ring = try Keyring.thread.addKeyring("skr:" + SceneItem.namespace)
                try Key(ring).setPermissions(permissions)
                try? Keyring.thread.move(Key(ring), to: anchor, exclusive: true)
            }
        }
        throw SceneError("the ring is always dead")
    }

    /// Takes the lock only if it sees no live item.
    static func set(_ value: String, over item: ItemIdentity, in anchor: Keyring) throws {
        let ring = try itemsRing(in: anchor)
        let key = try stage(value, item)
        if try isLive(item, in: ring) { return try Keyring.thread.move(key, to: ring) }
        try underLock(in: anchor) { try Keyring.thread.move(key, to: ring) }
    }

    /// Looks for a live item under the lock, and then displaces any item that exists by then.
    static func add(_ value: String, for item: ItemIdentity, in anchor: Keyring) throws -> Bool {
        let ring = try itemsRing(in: anchor)
        let key = try stage(value, item)
        return try underLock(in: anchor) {
            if try isLive(item, in: ring) { return false }
            try Keyring.thread.move(key, to: ring)
            return true
        }
    }

    /// Compares the value, and then marks any value that exists by then as refused.
    static func refuse(
        _ value: String, of item: ItemIdentity, in store: SecretStore, anchor: Keyring
    ) throws -> Bool {
        guard try store.get(item, as: String.self) == value else { return false }
        let ring = try itemsRing(in: anchor)
        let key = try ring.search(.user, item.keyDescription)
        let record = ItemFacts(isRefused: true).record(
            of: item, key: key.serial.rawValue, hash: try key.withPayload(FNV1a.hash(of:)))
        try ring.add(.user, item.companion.keyDescription, payload: record.span.bytes)
        return true
    }

    private static func underLock<Result>(in anchor: Keyring, _ body: () throws -> Result) throws -> Result {
        while true {
            let lock = try Keyring.thread.addKeyring("lock")
            do throws(KeyringError) {
                try Keyring.thread.move(Key(lock), to: anchor, exclusive: true)
            } catch {
                guard error.code == .alreadyExists else { throw error }
                usleep(1_000)
                continue
            }
            defer { try? anchor.unlink(Key(lock)) }
            return try body()
        }
    }
}
