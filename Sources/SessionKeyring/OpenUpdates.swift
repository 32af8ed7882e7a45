import Glibc
import Keyutils
import Synchronization

/// The items that `update` closures are changing now, each with the thread that runs the closure.
///
/// If such a closure wrote the same item, it would wait for itself until the update's lease ends. `checkWrite` looks
/// for that case here, and throws instead.
enum OpenUpdates {
    private static let count = Atomic<Int>(0)
    private static let open = LockBox<[(thread: pthread_t, item: FetchKey)]>([])

    /// Runs an update's closure, and records its item and thread while it runs.
    static func changing<Result>(_ item: FetchKey, _ body: () throws -> Result) rethrows -> Result {
        let thread = pthread_self()
        open.withLock { $0.append((thread, item)) }
        count.add(1, ordering: .relaxed)
        defer {
            count.subtract(1, ordering: .relaxed)
            open.withLock { open in
                if let index = open.lastIndex(where: { $0.thread == thread && $0.item == item }) {
                    open.remove(at: index)
                }
            }
        }
        return try body()
    }

    /// Whether the calling thread is running the closure of an update of this item.
    static func contain(_ item: @autoclosure () -> FetchKey) -> Bool {
        // If the thread is in a closure, it has counted itself, so a relaxed load is enough.
        guard count.load(ordering: .relaxed) > 0 else { return false }
        let (thread, item) = (pthread_self(), item())
        return open.withLock { open in open.contains { $0.thread == thread && $0.item == item } }
    }
}

extension SecretStore {
    /// Returns a key for the item in its scope and namespace, which is the same in all stores.
    func updateKey(_ item: ItemIdentity) -> FetchKey { FetchKey(backend, of: self, item, Void.self) }

    func checkWrite(_ item: ItemIdentity) throws(SecretStoreError) {
        try check(item)
        if OpenUpdates.contain(updateKey(item)) { throw SecretStoreError(.insideUpdate, item: item) }
    }
}
