/// The kernel's description of a key: type, owner, permissions and name.
///
/// It is parsed from the text of `keyctl_describe(3)`, `type;uid;gid;permissions;description`. Only the first four
/// semicolons are separators; the description can contain more.
public struct KeyDescription: Sendable {
    /// The key's type.
    public let type: KeyType
    /// The owner's user id, as seen from the caller's user namespace.
    public let userID: UInt32
    /// The owner's group id, as seen from the caller's user namespace.
    public let groupID: UInt32
    /// The key's permissions.
    public let permissions: KeyPermissions
    /// The name that the key was added under.
    ///
    /// Bytes that are not UTF-8 are replaced; see ``isExact``.
    public let name: String
    /// Whether ``name`` is the description byte for byte; false only if the description is not UTF-8.
    public let isExact: Bool

    /// Parses the text that `keyctl_describe(3)` returns.
    ///
    /// - Throws: ``KeyringError`` with ``KeyringError/Code/invalidArgument`` if the text is not in that form.
    public init(parsing text: some Collection<UInt8>) throws(KeyringError) {
        unsafe try self.init(parsing: ContiguousArray(text).span.bytes)
    }

    init(parsing text: RawSpan) throws(KeyringError) {
        let fields = try DescriptionFields(parsing: text)
        self.type = KeyType(rawValue: Self.string(text.extracting(fields.type)))
        self.userID = fields.userID
        self.groupID = fields.groupID
        self.permissions = fields.permissions
        let bytes = text.extracting(fields.name)
        // Decoding replaces bytes that are not UTF-8, so that the name differs. Validating would make generic types at
        // run time, which takes 6% of a hit of `skr cached`.
        let name = Self.string(bytes)
        self.isExact = unsafe bytes.withUnsafeBytes { unsafe name.utf8.elementsEqual($0) }
        self.name = name
    }

    private static func string(_ text: RawSpan) -> String {
        unsafe text.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
