import Keyutils

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

extension SecretStoreError {
    /// The reason why an attempt was blocked; `nil` if it is a full quota, or if none is known.
    package var blockage: Blockage? {
        if case .blocked(let reason) = detail { reason } else { nil }
    }

    /// Whether only a full quota or others prevented the attempt, so that another attempt can succeed.
    package var isBlockage: Bool { code == .quotaExceeded || code == .contended && detail != .noThread }

    /// Whether another holder has the requested lease, or its name is not free yet.
    package var isLeaseHeld: Bool {
        switch blockage {
        case .namedLease, .leaseCollection: true
        case nil: code == .contended && detail == nil
        default: false
        }
    }

    /// Whether a value could not be stored only because of a full quota or of other writers.
    var isLackOfRoomOrTurn: Bool { code == .quotaExceeded || code == .contended || code == .leaseLost }
}
