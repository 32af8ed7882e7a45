import Keyutils

/// One attempt of an operation that may be repeated, and the progress of earlier attempts.
///
/// A backend never waits. If something is in the way of an operation, the backend throws ``SecretStoreError`` with `contended`
/// or `quotaExceeded`; the store waits and makes another attempt with the same value, so that no step that others can
/// see is done twice. A backend that wraps another one passes the value on, to one operation of the other.
public struct BackendAttempt {
    /// Whether the backend may use last resorts against a full quota: remove expired items and empty keyrings, write over
    /// an old value in place, or change an item without its lease.
    ///
    /// The store allows them only after it has waited for the kernel to free quota.
    public internal(set) var mayUseLastResorts: Bool

    /// Why the current attempt is blocked, for functions that return `nil` or false in that case.
    var blockage: Blockage?
    private var made: Progress?

    /// A first attempt.
    public init(mayUseLastResorts: Bool = true) {
        self.mayUseLastResorts = mayUseLastResorts
    }
}

/// Why an attempt did not go through, apart from a full quota; the reason chooses the pauses.
package enum Blockage: Hashable, Sendable {
    /// Another holder has the item's lease, for a handful of system calls.
    case itemLease
    /// Another holder has a named lease or fetches the item, for as long as its own work takes.
    case namedLease
    /// The lease has ended, but the kernel has not freed its name yet.
    case leaseCollection
    /// Another process makes a keyring of the namespace.
    case ringMaker
    /// Nothing can be done before this time.
    case until(BootTime)
}

extension BackendAttempt {
    /// The progress of earlier attempts; made when the first of them is blocked.
    final class Progress {
        /// Whether others can see a part of the operation, so that it is not cancelled any more.
        var isVisible = false
        /// The staged keyring of the lease that is being acquired.
        var candidate: LeaseCandidate?
        /// The key of a set that may have come too late, after an update had read the item.
        var lateKey: Key?
        /// Whether the item is deleted, but perhaps too late.
        var isDeleted = false
        /// Whether the item is stored, and only its key of the other type is left to remove.
        var isStored = false
        /// The keyring that is being made, with the lease on its name.
        var maker: RingMaker?
        /// The lease of a fetch that is about to begin.
        var fetchLease: (any LeaseHandle)?
        /// The update whose commit is blocked.
        var update: (any ItemUpdate)?
        /// The key that a fetch has stored, but perhaps too late.
        var placedKey: PlacedKey?

        deinit {
            candidate?.discard()
        }
    }

    /// The progress of earlier attempts; `nil` if they have not left any.
    var progress: Progress? { made }

    /// The same, to note something in.
    mutating func makeProgress() -> Progress {
        if let made { return made }
        let progress = Progress()
        made = progress
        return progress
    }

    /// The error that ends this attempt, for the reason that was noted.
    package func blocked(_ item: ItemIdentity? = nil) -> SecretStoreError {
        SecretStoreError(.blocked(blockage ?? .itemLease), item: item)
    }

    /// Notes the reason and returns false, for functions that return whether they are through.
    mutating func isBlocked(by reason: Blockage) -> Bool {
        blockage = reason
        return false
    }

    /// Releases a fetch's lease that earlier attempts have taken.
    package func releaseLease() {
        _ = made?.fetchLease?.release()
        made?.fetchLease = nil
    }

    /// Drops keys that only this thread can use, before a task is suspended.
    func prepareForSuspension() {
        made?.candidate?.discard()
        made?.candidate = nil
    }
}
