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
    private enum Source: Sendable {
        case kernel(KernelChanges)
        case stream(AsyncStream<SecretChange>)
    }

    private let source: Source

    init(of backend: KernelBackend) throws(SecretStoreError) {
        source = .kernel(try KernelChanges(of: backend))
    }

    /// The changes that a backend of your own tells of.
    public init(_ changes: AsyncStream<SecretChange>) {
        source = .stream(changes)
    }

    /// Starts to take the changes.
    public func makeAsyncIterator() -> Iterator {
        switch source {
        case .kernel(let changes): Iterator(kernel: changes.makeAsyncIterator())
        case .stream(let changes): Iterator(stream: changes.makeAsyncIterator())
        }
    }

    /// Takes one change after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var kernel: KernelChanges.Iterator?
        fileprivate var stream: AsyncStream<SecretChange>.Iterator?

        /// The next change; `nil` once the keyring is gone, or the task was cancelled.
        public mutating func next() async -> SecretChange? {
            if let change = await kernel?.next() { return change }
            return await stream?.next()
        }
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
        try backend.changes()
    }
}
