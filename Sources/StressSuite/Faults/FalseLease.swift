import Keyutils

/// An object that looks like a lease, but that nobody holds.
enum FalseLease: CaseIterable {
    case empty
    case withoutRecord
    case withUnreadableRecord
    case withNonsense
    /// The record of a real lease, with a different deadline or version.
    case copy
    /// A lease with a link to another program's keyring.
    case withVictim
    case restricted
    /// A key that has the lease's name but is not a keyring.
    case key

    /// The library's name for the record of a lease.
    static let recordName = "by"

    /// Makes a false lease in the calling thread's keyring.
    ///
    /// - Parameters:
    ///   - record: the bytes of a record.
    ///   - victim: a keyring that must not be damaged.
    func make(
        _ name: String, record: [UInt8], victim: Keyring, nonsense: [UInt8]
    ) throws(KeyringError) -> Key {
        if self == .key { return try unsafe Keyring.thread.add(.user, name, payload: nonsense.span.bytes) }
        let ring = try Keyring.thread.addKeyring(name)
        func addRecord(_ bytes: [UInt8]) throws(KeyringError) -> Key {
            try unsafe ring.add(.user, Self.recordName, payload: bytes.span.bytes)
        }
        switch self {
        case .empty, .key: break
        case .withoutRecord: _ = try ring.addKeyring(Self.recordName)
        case .withUnreadableRecord: try addRecord(record).setPermissions([])
        case .withNonsense: _ = try addRecord(nonsense)
        case .copy: _ = try addRecord(record)
        case .withVictim:
            _ = try addRecord(nonsense)
            try ring.link(Key(victim))
        case .restricted: try ring.restrict()
        }
        return Key(ring)
    }
}
