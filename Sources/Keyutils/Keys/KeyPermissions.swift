import CKeyutils

/// A key's permissions: six rights for each of possessor, user, group and other.
///
/// A thread is a key's *possessor* if it reaches the key through a chain of keyrings that starts at its thread, process
/// or session keyring (`keyrings(7)`, "Possession"). The kernel adds the possessor's rights to the rights of the one
/// class (user, group or other) that applies.
///
/// The corresponding C type is `key_perm_t`; see `keyctl_setperm(3)`.
public struct KeyPermissions: OptionSet, Hashable, Sendable {
    /// The mask as `keyctl_setperm(3)` takes it.
    public let rawValue: UInt32

    /// Wraps a mask that came from elsewhere; the kernel refuses a mask with unknown bits.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    private init(_ mask: some BinaryInteger) {
        self.init(rawValue: UInt32(truncatingIfNeeded: mask))
    }
}

extension KeyPermissions {
    /// The possessor can see the key's attributes: `KEY_POS_VIEW`.
    public static let possessorView = KeyPermissions(KEY_POS_VIEW)
    /// The possessor can read the payload, or list a keyring: `KEY_POS_READ`.
    public static let possessorRead = KeyPermissions(KEY_POS_READ)
    /// The possessor can update the payload, or change a keyring's links: `KEY_POS_WRITE`.
    public static let possessorWrite = KeyPermissions(KEY_POS_WRITE)
    /// The possessor can find the key, or search a keyring: `KEY_POS_SEARCH`.
    public static let possessorSearch = KeyPermissions(KEY_POS_SEARCH)
    /// The possessor can link the key elsewhere: `KEY_POS_LINK`.
    public static let possessorLink = KeyPermissions(KEY_POS_LINK)
    /// The possessor can change owner, permissions and timeout: `KEY_POS_SETATTR`.
    public static let possessorSetAttribute = KeyPermissions(KEY_POS_SETATTR)
    /// Everything for the possessor: `KEY_POS_ALL`.
    public static let possessorAll = KeyPermissions(KEY_POS_ALL)

    /// The owning user can see the key's attributes: `KEY_USR_VIEW`.
    public static let userView = KeyPermissions(KEY_USR_VIEW)
    /// The owning user can read the payload, or list a keyring: `KEY_USR_READ`.
    public static let userRead = KeyPermissions(KEY_USR_READ)
    /// The owning user can update the payload, or change a keyring's links: `KEY_USR_WRITE`.
    public static let userWrite = KeyPermissions(KEY_USR_WRITE)
    /// The owning user can find the key, or search a keyring: `KEY_USR_SEARCH`.
    public static let userSearch = KeyPermissions(KEY_USR_SEARCH)
    /// The owning user can link the key elsewhere: `KEY_USR_LINK`.
    public static let userLink = KeyPermissions(KEY_USR_LINK)
    /// The owning user can change owner, permissions and timeout: `KEY_USR_SETATTR`.
    public static let userSetAttribute = KeyPermissions(KEY_USR_SETATTR)
    /// Everything for the owning user: `KEY_USR_ALL`.
    public static let userAll = KeyPermissions(KEY_USR_ALL)

    /// The group can see the key's attributes: `KEY_GRP_VIEW`.
    public static let groupView = KeyPermissions(KEY_GRP_VIEW)
    /// The group can read the payload, or list a keyring: `KEY_GRP_READ`.
    public static let groupRead = KeyPermissions(KEY_GRP_READ)
    /// The group can update the payload, or change a keyring's links: `KEY_GRP_WRITE`.
    public static let groupWrite = KeyPermissions(KEY_GRP_WRITE)
    /// The group can find the key, or search a keyring: `KEY_GRP_SEARCH`.
    public static let groupSearch = KeyPermissions(KEY_GRP_SEARCH)
    /// The group can link the key elsewhere: `KEY_GRP_LINK`.
    public static let groupLink = KeyPermissions(KEY_GRP_LINK)
    /// The group can change owner, permissions and timeout: `KEY_GRP_SETATTR`.
    public static let groupSetAttribute = KeyPermissions(KEY_GRP_SETATTR)
    /// Everything for the group: `KEY_GRP_ALL`.
    public static let groupAll = KeyPermissions(KEY_GRP_ALL)

    /// Everybody else can see the key's attributes: `KEY_OTH_VIEW`.
    public static let otherView = KeyPermissions(KEY_OTH_VIEW)
    /// Everybody else can read the payload, or list a keyring: `KEY_OTH_READ`.
    public static let otherRead = KeyPermissions(KEY_OTH_READ)
    /// Everybody else can update the payload, or change a keyring's links: `KEY_OTH_WRITE`.
    public static let otherWrite = KeyPermissions(KEY_OTH_WRITE)
    /// Everybody else can find the key, or search a keyring: `KEY_OTH_SEARCH`.
    public static let otherSearch = KeyPermissions(KEY_OTH_SEARCH)
    /// Everybody else can link the key elsewhere: `KEY_OTH_LINK`.
    public static let otherLink = KeyPermissions(KEY_OTH_LINK)
    /// Everybody else can change owner, permissions and timeout: `KEY_OTH_SETATTR`.
    public static let otherSetAttribute = KeyPermissions(KEY_OTH_SETATTR)
    /// Everything for everybody else: `KEY_OTH_ALL`.
    public static let otherAll = KeyPermissions(KEY_OTH_ALL)
}

extension KeyPermissions: CustomStringConvertible {
    /// The mask as eight hexadecimal digits, as `/proc/keys` and `keyctl describe` show it.
    public var description: String { rawValue.hexadecimal(digits: 8) }
}
