import Keyutils

/// A change of a namespace's items, as the kernel tells of it.
public enum SecretChange: Hashable, Sendable {
    /// An item was stored or replaced.
    case stored(ItemIdentity)
    /// An item was deleted.
    case deleted(ItemIdentity)
    /// All items were deleted.
    case cleared
    /// Changes were lost because nobody took them in time: look at everything anew.
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
            case .linked(let key):
                // One that is gone already has a successor, of which the next event tells.
                guard let description = try? key.describe(),
                    let item = ItemIdentity(keyDescription: description.name)
                else { return nil }
                items[key.serial] = item
                return .stored(item)
            case .unlinked(let key): return items.removeValue(forKey: key.serial).map { .deleted($0) }
            case .cleared:
                items = [:]
                return .cleared
            case .eventsLost: return .missed
            default: return nil
            }
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
