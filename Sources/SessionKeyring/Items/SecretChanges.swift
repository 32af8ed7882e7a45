import Keyutils

/// A change of a namespace's items, as the kernel reports it.
@nonexhaustive
public enum SecretChange: Hashable, Sendable {
    /// An item was stored or replaced.
    case stored(ItemIdentity)
    /// An item was deleted.
    case deleted(ItemIdentity)
    /// All items were deleted.
    case cleared
    /// Changes were lost because they were not read in time: look at all items again.
    case missed
}

/// The changes of a namespace's items since this sequence was created, in the kernel's order.
///
/// The sequence **does not report** an item that expires, a new timeout, or a value that was overwritten in
/// place because the quota had no room for a new one. It ends when the namespace's keyring is removed. It is
/// for one consumer.
public struct SecretChanges: AsyncSequence, Sendable {
    private let changes: AsyncStream<SecretChange>

    /// Creates the sequence of the changes that your own backend reports.
    public init(_ changes: AsyncStream<SecretChange>) {
        self.changes = changes
    }

    /// Begins to read the changes.
    ///
    /// The iterator returns `nil` when the keyring has been removed or the task was cancelled.
    public func makeAsyncIterator() -> AsyncStream<SecretChange>.Iterator {
        changes.makeAsyncIterator()
    }
}

extension SecretStore {
    /// Reports the changes of the namespace's items from now on, by any process.
    ///
    /// This creates the namespace's keyrings if they don't exist, and can wait for that as a first write does.
    ///
    /// - Throws: ``SecretStoreError`` with `quotaExceeded`, or with `unsupported` if the kernel or the backend does not
    ///   report changes; most kernels don't.
    public func changes() throws(SecretStoreError) -> SecretChanges {
        var wait = Wait()
        return try wait.run { attempt throws(SecretStoreError) in try backend.changes(&attempt) }
    }
}
