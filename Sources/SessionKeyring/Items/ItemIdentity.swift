import Keyutils

/// The name of a secret: its kind, its service and its account.
///
/// The identity is the description of the key in the kernel, such as `password:api:alice`; `keyctl show`
/// displays it. Two identities are equal if their descriptions are the same **bytes**, so the two Unicode forms of `é`
/// name two items. Creating an identity checks nothing. Using one with an empty or overlong name throws
/// ``SecretStoreError/Code-swift.enum/invalidName``.
public struct ItemIdentity: Hashable, Sendable {
    /// The purpose of a secret; part of the identity, so that items of different kinds never collide.
    @nonexhaustive
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// A token or password of a service.
        case password
        /// A password for a server.
        case internet
        /// A cryptographic key, named by its tag.
        case key
        /// A cached result: the output of a command or the result of a call.
        case cached
        /// A secret with additional fields, such as a refresh token: JSON, as `CredentialHelpers` writes it.
        case credential
        /// A secret of a program that uses the Secret Service, named by its attributes.
        case secret

        /// The first part of the description.
        package var rawValue: String {
            switch self {
            case .password: "password"
            case .internet: "internet"
            case .key: "key"
            case .cached: "cached"
            case .credential: "credential"
            case .secret: "secret"
            }
        }

        package init?(rawValue: String) {
            guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
            self = kind
        }
    }

    /// The secret's kind.
    public var kind: Kind { name.kind }
    /// The service, the server, the key's tag, or a secret's attributes in their encoded form.
    public var service: String { name.service }
    /// The account; empty for an item without one, and always empty for a key or a secret.
    public var account: String { name.account }
    /// The description of the key in the kernel, percent-encoded: unambiguous and reversible.
    public var keyDescription: String { name.keyDescription }

    private let name: Name

    private init(kind: Kind, service: String, account: String) {
        // The attributes of a secret are encoded already.
        let name = kind == .secret ? service : PercentCoding.encode(service)
        self.init(
            kind: kind, service: service, account: account,
            keyDescription: kind.hasNoAccount
                ? "\(kind.rawValue):\(name)" : "\(kind.rawValue):\(name):\(PercentCoding.encode(account))")
    }

    init(kind: Kind, service: String, account: String, keyDescription: String) {
        name = Name(kind: kind, service: service, account: account, keyDescription: keyDescription)
    }

    /// Whether this is a hidden item next to a secret, and not the name of a secret.
    package var isHidden: Bool { !keyDescription.utf8.starts(with: kind.rawValue.utf8) }

    /// The hidden item that holds the facts about this item's value (``ItemFacts``).
    package var companion: ItemIdentity { hidden(ItemFacts.word) }

    /// The hidden item that records a failure to fetch this item, so that failure and value are never confused.
    package var failure: ItemIdentity { hidden("failed:") }

    /// The hidden item that shows whether this item was changed since its fetch began.
    package var watch: ItemIdentity { hidden("fetching:") }

    /// Creates the identity of the item that the hidden item with this description belongs to.
    ///
    /// The result is `nil` for any other description, and for one that has a hash in place of the item's name.
    package init?(ofHidden keyDescription: String) {
        guard let colon = keyDescription.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        self.init(keyDescription: String(Substring(keyDescription.utf8[colon...].dropFirst())))
    }

    /// Returns the identity of a hidden item next to this one, whose description begins with `word`.
    ///
    /// The description can't be read back as an identity, so the hidden item is not listed.
    private func hidden(_ word: String) -> ItemIdentity {
        var name = keyDescription
        // If the word makes the name too long for the kernel, a hash replaces the name. Two items with the same hash
        // share the hidden item.
        if word.utf8.count + name.utf8.count > Self.largestDescription {
            name = "#" + String(unsafe FNV1a.hash(of: name.utf8Span.span.bytes), radix: 16)
        }
        return ItemIdentity(kind: kind, service: service, account: account, keyDescription: word + name)
    }

    /// A token or password of a service.
    ///
    /// Without an account, this is the service's one item that has no account.
    public static func password(service: String, account: String = "") -> ItemIdentity {
        ItemIdentity(kind: .password, service: service, account: account)
    }

    /// A user's password for a server.
    public static func internet(server: String, account: String = "") -> ItemIdentity {
        ItemIdentity(kind: .internet, service: server, account: account)
    }

    /// A secret with additional fields, such as a refresh token.
    public static func credential(service: String, account: String = "") -> ItemIdentity {
        ItemIdentity(kind: .credential, service: service, account: account)
    }

    /// A cryptographic key.
    public static func key(tag: String) -> ItemIdentity {
        ItemIdentity(kind: .key, service: tag, account: "")
    }

    /// A cached result: the output of a command or the result of a call.
    ///
    /// - Parameters:
    ///   - name: the name of the command or the call.
    ///   - variant: which of its results this is, if there are several.
    package static func cached(_ name: String, variant: String = "") -> ItemIdentity {
        ItemIdentity(kind: .cached, service: name, account: variant)
    }

    /// Creates an identity whose kind is known only at run time.
    ///
    /// A key has no account, so `account` is ignored for it.
    package init(_ kind: Kind, service: String, account: String) {
        self.init(kind: kind, service: service, account: kind.hasNoAccount ? "" : account)
    }

    /// Reads an identity back from a key's description; `nil` for a key that this library did not name.
    package init?(keyDescription: String) {
        if let plain = unsafe ItemIdentity(plainDescription: keyDescription.utf8Span.span.bytes) {
            self = plain
        } else {
            self.init(encodedDescription: keyDescription)
        }
    }

    /// Reads an identity back from the bytes of a key's description; `nil` for a key that this library did not name.
    init?(keyDescription bytes: RawSpan) {
        if let plain = ItemIdentity(plainDescription: bytes) {
            self = plain
            return
        }
        guard let text = unsafe bytes.withUnsafeBytes({ unsafe String(validating: $0, as: UTF8.self) }) else {
            return nil
        }
        self.init(encodedDescription: text)
    }

    private init?(encodedDescription keyDescription: String) {
        // Split into bytes, not characters: a colon and a combining accent at the start of the next part are
        // one character.
        if keyDescription.utf8.starts(with: "secret:".utf8) {
            self.init(secretDescription: keyDescription)
            return
        }
        let parts = keyDescription.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            .map { Substring($0) }
        guard let kind = parts.first.flatMap({ Kind(rawValue: String($0)) }),
            parts.count == (kind == .key ? 2 : 3),
            let service = PercentCoding.decode(parts[1]), !service.isEmpty,
            let account = kind == .key ? "" : PercentCoding.decode(parts[2])
        else { return nil }
        // Decoding accepts only what encoding writes, so the parts don't have to be encoded again.
        self.init(kind: kind, service: service, account: account, keyDescription: keyDescription)
    }
}

extension ItemIdentity {
    /// Reads an identity back from a description in which nothing is percent-encoded; `nil` for any other.
    ///
    /// Nearly all descriptions are of this kind, and this is the fastest way to read one.
    private init?(plainDescription bytes: RawSpan) {
        guard let first = PercentCoding.endOfPlainPart(in: bytes, from: 0), first < bytes.byteCount,
            let second = PercentCoding.endOfPlainPart(in: bytes, from: first + 1), second > first + 1,
            second < bytes.byteCount, PercentCoding.endOfPlainPart(in: bytes, from: second + 1) == bytes.byteCount,
            let kind = Self.kindWithAccount(bytes.extracting(0..<first))
        else { return nil }
        self.init(
            kind: kind, service: Self.text(bytes.extracting((first + 1)..<second)),
            account: Self.text(bytes.extracting(droppingFirst: second + 1)), keyDescription: Self.text(bytes))
    }

    private static func kindWithAccount(_ name: RawSpan) -> Kind? {
        if name.holds("password") { return .password }
        if name.holds("internet") { return .internet }
        if name.holds("cached") { return .cached }
        return name.holds("credential") ? .credential : nil
    }

    /// Returns whether a description begins like an item's, unlike that of a hidden item.
    static func isOfKind(_ description: RawSpan) -> Bool {
        guard let end = PercentCoding.endOfPlainPart(in: description, from: 0) else { return false }
        let word = description.extracting(0..<end)
        return kindWithAccount(word) != nil || word.holds("secret") || word.holds("key")
    }

    private static func text(_ bytes: RawSpan) -> String {
        unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

extension ItemIdentity {
    /// The reason why a name can't be used.
    package enum NameProblem: Hashable, Sendable {
        /// The service, server, tag or namespace is empty.
        case empty
        /// The encoded name has more bytes than a key's description can have.
        case tooLong(bytes: Int, limit: Int)
    }

    /// The largest size of an encoded identity in bytes, which is the kernel's limit for a description.
    package static let largestDescription = 4_095

    /// The problem with the names, if there is one.
    package var problem: NameProblem? {
        if service.isEmpty { return .empty }
        let bytes = keyDescription.utf8.count
        return bytes > Self.largestDescription ? .tooLong(bytes: bytes, limit: Self.largestDescription) : nil
    }
}

extension ItemIdentity {
    /// The parts of an identity; equal if the descriptions are the same bytes.
    ///
    /// This is a class because a write copies identities many times.
    private final class Name: Hashable, Sendable {
        let kind: Kind
        let service: String
        let account: String
        let keyDescription: String

        init(kind: Kind, service: String, account: String, keyDescription: String) {
            (self.kind, self.service, self.account, self.keyDescription) = (kind, service, account, keyDescription)
        }

        static func == (left: Name, right: Name) -> Bool {
            unsafe left === right
                || left.withDescription { left in
                    unsafe right.withDescription { right in unsafe left.elementsEqual(right) }
                }
        }

        func hash(into hasher: inout Hasher) {
            unsafe withDescription { bytes in unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
        }

        /// Lends all bytes of the description at once, which is fast: lists hash and compare many descriptions.
        private func withDescription<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
            var text = keyDescription
            return text.withUTF8(body)
        }
    }
}

extension ItemIdentity: CustomStringConvertible {
    /// The description of the key in the kernel.
    ///
    /// It holds names only, never the secret.
    public var description: String { keyDescription }

    /// The description, shortened if it is too long for a line of text.
    var shortDescription: String {
        if keyDescription.utf8.count > 300 { return String(keyDescription.unicodeScalars.prefix(200)) + "..." }
        return account.isEmpty && keyDescription.hasSuffix(":") ? String(keyDescription.dropLast()) : keyDescription
    }
}
