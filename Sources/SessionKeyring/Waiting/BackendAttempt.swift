import Keyutils

/// One attempt of an operation that can be repeated, with the progress of earlier attempts.
///
/// A backend never waits. If something blocks an operation, the backend throws ``SecretStoreError`` with `contended` or
/// `quotaExceeded`. The store waits and makes another attempt with the same value, so that no step that others can see
/// is done twice. A backend that wraps another one passes the value on to exactly one operation of that backend.
public struct BackendAttempt {
    /// Whether the backend is allowed to use last resorts if the quota is full.
    ///
    /// The last resorts are: removing expired items and empty keyrings, changing an item without its lease, and
    /// fetching a value that is then not stored. The store allows them only after it has waited for the kernel to free
    /// quota.
    public internal(set) var mayUseLastResorts: Bool

    /// The reason why the current attempt is blocked, set by functions that return `nil` or false because of it.
    var blockage: Blockage?
    /// The timeout of the operation, since its first attempt.
    var timeout: RunningTimeout?
    private var made: Progress?

    /// Creates a first attempt.
    public init(mayUseLastResorts: Bool = true) {
        self.mayUseLastResorts = mayUseLastResorts
    }
}

/// The reason why an attempt is blocked, other than a full quota; it determines the pauses.
package enum Blockage: Hashable, Sendable {
    /// Another holder has the item's lease, for the time of a few system calls.
    case itemLease
    /// Another holder has a named lease or is fetching the item, for as long as its own work takes.
    case namedLease
    /// The lease has ended, but the kernel has not freed its name yet.
    case leaseCollection
    /// Another process is creating a keyring of the namespace.
    case ringMaker
    /// No attempt can succeed before this time.
    case until(BootTime)
}

extension BackendAttempt {
    /// The progress of earlier attempts; created when the first of them is blocked.
    final class Progress {
        /// Whether others can already see part of the operation, so that it can't be cancelled any more.
        var isVisible = false
        /// The keyring of a lease that an earlier attempt tried to take; it is still staged (``Staging``).
        var candidate: LeaseCandidate?
        /// The key of a `set` that might have come too late, after an update had read the item.
        var lateKey: Key?
        /// Whether the item was deleted, though perhaps too late, after an update had read it.
        var isDeleted = false
        /// The keyring that is being created, with the lease on its name.
        var maker: RingMaker?
        /// The lease of a fetch that is about to begin.
        var fetchLease: (any LeaseHandle)?
        /// The update whose commit is blocked.
        var update: (any ItemUpdate)?
        /// The key that a fetch has stored, though perhaps too late, after a `clear`.
        var placedKey: Key?

        deinit {
            candidate?.discard()
        }
    }

    /// The progress of earlier attempts; `nil` if there isn't any.
    var progress: Progress? { made }

    /// Returns the progress of earlier attempts, creating it if necessary.
    mutating func makeProgress() -> Progress {
        if let made { return made }
        let progress = Progress()
        made = progress
        return progress
    }

    /// Returns the error that ends this attempt, with the recorded reason.
    package func blocked(_ item: ItemIdentity? = nil) -> SecretStoreError {
        SecretStoreError(.blocked(blockage ?? .itemLease), item: item)
    }

    /// Records the reason and returns false, for functions that return whether they have finished.
    mutating func isBlocked(by reason: Blockage) -> Bool {
        blockage = reason
        return false
    }

    /// Releases the lease of a fetch that earlier attempts have taken.
    package func releaseLease() {
        _ = made?.fetchLease?.release()
        made?.fetchLease = nil
    }

    /// Discards keys that only this thread can use, before a task is suspended.
    func prepareForSuspension() {
        made?.candidate?.discard()
        made?.candidate = nil
    }
}
