import Keyutils

/// A change of a namespace's items, as the kernel tells of it.
@nonexhaustive
public enum SecretChange: Hashable, Sendable {
    /// An item was stored or replaced.
    case stored(ItemIdentity)
    /// An item was deleted.
    case deleted(ItemIdentity)
    /// All items were deleted.
    case cleared
    /// Something changed that can't be told any more, because it was not taken in time: look at everything anew.
    case missed
}

/// The changes of a namespace's items, in the order in which the kernel saw them, from the moment on at which it was made.
///
/// **Not told are**: an item that expires, a new timeout, and a value that was written in place because the quota had no
/// room for a new one. It ends when the namespace's keyring is removed. For one consumer.
public struct SecretChanges: AsyncSequence, Sendable {
    private let watcher: KeyWatcher
    private let items: [KeySerial: ItemIdentity]

    init(of backend: KernelBackend) throws(SecretStoreError) {
        let ring = try backend.rings.findOrMakePair().items
        do throws(KeyringError) {
            watcher = try KeyWatcher()
            try watcher.watch(Key(ring))
        } catch {
            throw SecretStoreError(error)
        }
        // Behind it, so that no item falls in between.
        items = try backend.serials()
    }

    /// Starts to take the changes.
    public func makeAsyncIterator() -> Iterator {
        Iterator(watcher: watcher, items: items, events: watcher.events.makeAsyncIterator())
    }

    /// Takes one change after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let watcher: KeyWatcher
        fileprivate var items: [KeySerial: ItemIdentity]
        /// Keys that are no items: others', and marks of our own.
        fileprivate var foreign: Set<KeySerial> = []
        fileprivate var events: AsyncStream<KeyEvent>.Iterator

        /// The next change; `nil` once the keyring is gone, or the task was cancelled.
        public mutating func next() async -> SecretChange? {
            while let event = await events.next() {
                if event.change == .watchRemoved { return nil }
                if let change = change(of: event) { return change }
            }
            return nil
        }

        private mutating func change(of event: KeyEvent) -> SecretChange? {
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
            // The kernel tells the key's number only, and no longer describes one that is gone.
            guard let description = try? key.describe() else { return .missed }
            guard let item = ItemIdentity(keyDescription: description.name) else {
                foreign.insert(key.serial)
                return nil
            }
            items[key.serial] = item
            return .stored(item)
        }
    }
}

extension SecretStore {
    /// The changes of the namespace's items from now on, whoever makes them.
    ///
    /// - Throws: ``SecretStoreError`` with `unsupported` where the kernel does not tell of changes, as most don't, and with
    ///   a backend that is not the kernel's; `forbidden`, `sessionRevoked`, `quotaExceeded` or `unavailable`.
    public func changes() throws(SecretStoreError) -> SecretChanges {
        guard let backend = backend as? KernelBackend else { throw SecretStoreError(.unsupported) }
        return try SecretChanges(of: backend)
    }
}
