/// The fields of a key's description: numbers, and the byte ranges of type and name.
///
/// They need no `String`, and parsing takes one pass over the bytes without copying them. This matters because a list
/// describes every member of a keyring.
package struct DescriptionFields: Sendable {
    /// The byte range of the type's name.
    package let type: Range<Int>
    /// The owner's user id, as seen from the caller's user namespace.
    package let userID: UInt32
    /// The owner's group id, as seen from the caller's user namespace.
    package let groupID: UInt32
    /// The key's permissions.
    package let permissions: KeyPermissions
    /// The byte range of the name that the key was added under; it can contain any bytes except NUL.
    package let name: Range<Int>

    /// Parses the text that `keyctl_describe(3)` returns, without its NUL.
    ///
    /// - Throws: ``KeyringError`` with ``KeyringError/Code/invalidArgument`` if the text is not in that form.
    package init(parsing text: RawSpan) throws(KeyringError) {
        var start = 0
        guard let type = Self.field(of: text, from: &start), let user = Self.field(of: text, from: &start),
            let group = Self.field(of: text, from: &start), let mask = Self.field(of: text, from: &start),
            let userID = Self.identifier(in: text, user), let groupID = Self.identifier(in: text, group),
            let permissions = Self.number(in: text, mask, radix: 16)
        else { throw KeyringError(.invalidArgument, in: .describe) }
        self.type = type
        self.userID = userID
        self.groupID = groupID
        self.permissions = KeyPermissions(rawValue: permissions)
        self.name = start..<text.byteCount
    }

    /// Returns the byte range up to the next semicolon, and moves `start` past it.
    private static func field(of text: RawSpan, from start: inout Int) -> Range<Int>? {
        for offset in start..<text.byteCount where byte(of: text, at: offset) == UInt8(ascii: ";") {
            defer { start = offset + 1 }
            return start..<offset
        }
        return nil
    }

    /// Parses a user or group id.
    ///
    /// Linux prints ids as signed numbers, so ids above 2,147,483,647 appear negative.
    private static func identifier(in text: RawSpan, _ field: Range<Int>) -> UInt32? {
        guard let first = field.first, byte(of: text, at: first) == UInt8(ascii: "-") else {
            return number(in: text, field, radix: 10)
        }
        guard let magnitude = number(in: text, field.dropFirst(), radix: 10), magnitude <= 1 << 31 else { return nil }
        return 0 &- magnitude
    }

    private static func number(in text: RawSpan, _ field: Range<Int>, radix: UInt64) -> UInt32? {
        // Ten digits of 16 possible values each fit into 64 bits.
        guard 1...10 ~= field.count else { return nil }
        var number: UInt64 = 0
        for offset in field {
            guard let digit = byte(of: text, at: offset).hexDigitValue, digit < radix else { return nil }
            number = number &* radix &+ UInt64(digit)
        }
        return UInt32(exactly: number)
    }

    private static func byte(of text: RawSpan, at offset: Int) -> UInt8 {
        unsafe text.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }
}
