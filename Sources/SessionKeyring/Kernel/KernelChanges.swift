package import Keyutils

extension KernelBackend {
    package func changes(_ attempt: inout BackendAttempt) throws(SecretStoreError) -> SecretChanges {
        let changes = try KernelChanges(of: self, ring: try rings.findOrMakePair(&attempt).items)
        return SecretChanges(AsyncStream { await changes.next() })
    }
}

/// Turns the kernel's events of a namespace's ring into changes of its items.
private final class KernelChanges: Sendable {
    private let watcher: KeyWatcher
    private let known: LockBox<KnownKeys>

    init(of backend: KernelBackend, ring: Keyring) throws(SecretStoreError) {
        do throws(KeyringError) {
            watcher = try KeyWatcher()
            try watcher.watch(Key(ring))
        } catch {
            throw SecretStoreError(error)
        }
        // List the items after the watch has begun, so that no item is missed in between.
        known = LockBox(KnownKeys(items: try backend.serials()))
    }

    func next() async -> SecretChange? {
        for await event in watcher.events {
            if event.change == .watchRemoved { return nil }
            if let change = known.withLock({ $0.change(of: event) }) { return change }
        }
        return nil
    }
}

/// The keys of a namespace's ring by serial, which is all that the kernel reports when a key is removed.
package struct KnownKeys {
    private var items: [KeySerial: ItemIdentity]
    /// Keys that are not items: other programs' keys and our sentinels.
    private var foreign: Set<KeySerial> = []

    package init(items: [KeySerial: ItemIdentity]) { self.items = items }

    package mutating func change(of event: KeyEvent) -> SecretChange? {
        switch event.change {
        case .linked(let key): return stored(key)
        case .unlinked(let key):
            if foreign.remove(key.serial) != nil { return nil }
            return items.removeValue(forKey: key.serial).map { .deleted($0) } ?? .missed
        case .cleared:
            items = [:]
            foreign = []
            return .cleared
        case .eventsLost: return .missed
        default: return nil
        }
    }

    private mutating func stored(_ key: Key) -> SecretChange? {
        // The kernel reports only the key's serial, and can't describe a key that is already gone.
        guard let description = try? key.describe() else { return .missed }
        guard let item = ItemIdentity(keyDescription: description.name) else {
            foreign.insert(key.serial)
            return nil
        }
        items[key.serial] = item
        return .stored(item)
    }
}
