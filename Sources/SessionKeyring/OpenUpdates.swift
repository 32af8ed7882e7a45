import Glibc
import Keyutils
import Synchronization

/// The items that closures of `update` are changing, each with its thread.
///
/// A closure that writes the same item would wait for itself, until the update's lease has ended.
enum OpenUpdates {
    private static let count = Atomic<Int>(0)
    private static let open = LockBox<[(thread: pthread_t, item: FetchKey)]>([])

    /// Runs an update's closure.
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

    /// Whether the calling thread is in such a closure for this item.
    static func contain(_ item: @autoclosure () -> FetchKey) -> Bool {
        // The thread has counted its own.
        guard count.load(ordering: .relaxed) > 0 else { return false }
        let (thread, item) = (pthread_self(), item())
        return open.withLock { open in open.contains { $0.thread == thread && $0.item == item } }
    }
}

extension SecretStore {
    /// The item with its scope and namespace, the same for all stores.
    func updateKey(_ item: ItemIdentity) -> FetchKey { FetchKey(self, item, Void.self) }

    func checkWrite(_ item: ItemIdentity) throws(SecretStoreError) {
        try check(item)
        if OpenUpdates.contain(updateKey(item)) { throw SecretStoreError(.insideUpdate, item: item) }
    }
}
