public import Keyutils

/// The attributes of an item, such as its size and expiry, but never its secret.
public struct ItemAttributes: Hashable, Sendable {
    /// The time when the kernel drops an item.
    @nonexhaustive
    public enum Expiry: Hashable, Sendable {
        /// The item has no timeout: it lives as long as its scope.
        case never
        /// At least this much time is left; the kernel rounds it down.
        case after(KeyTimeLeft)
        /// The kernel does not report it: `/proc/keys` is hidden or does not show the key.
        case unknown
    }

    /// The item's identity.
    public let item: ItemIdentity
    /// The size of the secret in bytes.
    public let size: Int
    /// The time when the item expires.
    public let expiry: Expiry
    /// The key's serial when the attributes were read; a later `set` gives the item another one.
    package let serial: KeySerial
    /// The user who owns the key.
    package let userID: UInt32
    /// The group that owns the key.
    package let groupID: UInt32
    /// The key's permissions.
    package let permissions: KeyPermissions

    /// Creates attributes as a backend found them.
    package init(
        item: ItemIdentity,
        size: Int,
        expiry: Expiry,
        serial: KeySerial,
        userID: UInt32,
        groupID: UInt32,
        permissions: KeyPermissions
    ) {
        self.item = item
        self.size = size
        self.expiry = expiry
        self.serial = serial
        self.userID = userID
        self.groupID = groupID
        self.permissions = permissions
    }
}
