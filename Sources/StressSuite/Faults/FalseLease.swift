import Keyutils

/// What looks like a lease and is nobody's.
enum FalseLease: CaseIterable {
    case empty
    case withoutRecord
    case withUnreadableRecord
    case withNonsense
    /// The record of a lease that was seen, with another deadline or version.
    case copy
    /// A ring of somebody else's is linked in it.
    case withVictim
    case restricted
    /// A key of the lease's name that is no keyring.
    case key

    /// Makes one in the calling thread's keyring.
    ///
    /// - Parameters:
    ///   - record: the bytes of a record.
    ///   - victim: a keyring that must not suffer.
    func make(
        _ name: String, record: [UInt8], victim: Keyring, nonsense: [UInt8]
    ) throws(KeyringError) -> Key {
        if self == .key { return try unsafe Keyring.thread.add(.user, name, payload: nonsense.span.bytes) }
        let ring = try Keyring.thread.addKeyring(name)
        // What the library calls the record of a lease.
        let recordName = "by"
        switch self {
        case .empty, .key: break
        case .withoutRecord: _ = try ring.addKeyring(recordName)
        case .withUnreadableRecord:
            try unsafe ring.add(.user, recordName, payload: record.span.bytes).setPermissions([])
        case .withNonsense: _ = try unsafe ring.add(.user, recordName, payload: nonsense.span.bytes)
        case .copy: _ = try unsafe ring.add(.user, recordName, payload: record.span.bytes)
        case .withVictim:
            _ = try unsafe ring.add(.user, recordName, payload: nonsense.span.bytes)
            try ring.link(Key(victim))
        case .restricted: try ring.restrict()
        }
        return Key(ring)
    }
}
