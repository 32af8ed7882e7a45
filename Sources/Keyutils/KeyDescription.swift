/// What the kernel says of a key: type, owner, permissions and the description that names it.
///
/// Parsed from the text of `keyctl_describe(3)`, `type;uid;gid;permissions;description`. Only the first four semicolons
/// separate; the description may contain more.
public struct KeyDescription: Hashable, Sendable {
    /// The key's type.
    public let type: KeyType
    /// The owner's user id, as seen from the caller's user namespace.
    public let userID: UInt32
    /// The owner's group id, as seen from the caller's user namespace.
    public let groupID: UInt32
    /// Who may do what.
    public let permissions: KeyPermissions
    /// The name that the key was added under.
    ///
    /// Bytes that are not UTF-8 are replaced; see ``isExact``.
    public let name: String
    /// Whether ``name`` is the description byte for byte, which it is unless that was not UTF-8.
    public let isExact: Bool

    /// Parses the text that `keyctl_describe(3)` gives.
    ///
    /// - Throws: ``KeyringError`` with ``KeyringError/Code/invalidArgument`` if the text is not in that form.
    public init(parsing text: some Collection<UInt8>) throws(KeyringError) {
        let fields = text.split(separator: UInt8(ascii: ";"), maxSplits: 4, omittingEmptySubsequences: false)
        guard fields.count == 5,
            let userID = Self.identifier(fields[1]),
            let groupID = Self.identifier(fields[2]),
            let permissions = UInt32(String(decoding: fields[3], as: UTF8.self), radix: 16)
        else { throw KeyringError(.invalidArgument, in: .describe) }
        self.type = KeyType(rawValue: String(decoding: fields[0], as: UTF8.self))
        self.userID = userID
        self.groupID = groupID
        self.permissions = KeyPermissions(rawValue: permissions)
        let exact = String(validating: fields[4], as: UTF8.self)
        self.isExact = exact != nil
        self.name = exact ?? String(decoding: fields[4], as: UTF8.self)
    }

    /// Linux prints identifiers as signed numbers: those above 2,147,483,647 come out negative.
    private static func identifier(_ text: some Collection<UInt8>) -> UInt32? {
        let text = String(decoding: text, as: UTF8.self)
        return UInt32(text) ?? Int32(text).map { UInt32(bitPattern: $0) }
    }
}
