public import Keyutils

/// What is known of an item without telling its secret.
public struct ItemAttributes: Hashable, Sendable {
    /// When the kernel will drop an item.
    @nonexhaustive
    public enum Expiry: Hashable, Sendable {
        /// It has no timeout: it lives as long as its session.
        case never
        /// At least this much is left, rounded down by the kernel.
        case after(KeyTimeLeft)
        /// The kernel does not say: `/proc/keys` is hidden or does not show the key.
        case unknown
    }

    /// Which item it is.
    public let item: ItemIdentity
    /// How many bytes the secret has.
    public let size: Int
    /// When it expires.
    public let expiry: Expiry
    /// The key's serial at the time of the look; a later `set` gives the item another one.
    package let serial: KeySerial
    /// The user who owns the key.
    package let userID: UInt32
    /// The group that owns the key.
    package let groupID: UInt32
    /// Who may do what with the key.
    package let permissions: KeyPermissions

    /// Attributes as a backend found them.
    public init(
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
