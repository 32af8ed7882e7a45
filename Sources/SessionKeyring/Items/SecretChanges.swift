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
    private let changes: AsyncStream<SecretChange>

    /// The changes that a backend of your own tells of.
    public init(_ changes: AsyncStream<SecretChange>) {
        self.changes = changes
    }

    /// Starts to take the changes; `nil` follows the last one, be the keyring gone or the task cancelled.
    public func makeAsyncIterator() -> AsyncStream<SecretChange>.Iterator {
        changes.makeAsyncIterator()
    }
}

extension SecretStore {
    /// The changes of the namespace's items from now on, whoever makes them.
    ///
    /// Makes the namespace's keyrings where there are none, for which it may wait as a first write does.
    ///
    /// - Throws: ``SecretStoreError`` with `unsupported` where the kernel, or the backend, does not tell of changes, as most
    ///   kernels don't, or `quotaExceeded`.
    public func changes() throws(SecretStoreError) -> SecretChanges {
        var wait = Wait()
        return try wait.run { attempt throws(SecretStoreError) in try backend.changes(&attempt) }
    }
}
