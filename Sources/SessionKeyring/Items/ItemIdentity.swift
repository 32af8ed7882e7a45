/// Which secret: its kind, its service and its account.
///
/// The identity is the description of the key in the kernel, readable in `keyctl show`, such as `password:api:alice`. Two
/// identities are equal if their descriptions are the same **bytes**; `é` written in two ways names two items.
/// Making an identity checks nothing; using one with an empty or overlong name throws
/// ``SecretStoreError/Code-swift.enum/invalidName(_:)``.
public struct ItemIdentity: Sendable {
    /// What a secret is for; part of the identity, so that kinds never get in each other's way.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A token or password of a service.
        case password
        /// A password for a server.
        case internet
        /// A cryptographic key, by its tag.
        case key
        /// What a command printed or a call returned, kept to spare doing it again.
        case cached
    }

    /// The secret's kind.
    public let kind: Kind
    /// The service, the server, or the key's tag.
    public let service: String
    /// The account, empty where there is none; always empty for a key.
    public let account: String
    /// The description of the key in the kernel, percent-encoded: unambiguous and reversible.
    public let keyDescription: String

    private init(kind: Kind, service: String, account: String) {
        let name = PercentCoding.encode(service)
        self.init(
            kind: kind, service: service, account: account,
            keyDescription: kind == .key
                ? "\(kind.rawValue):\(name)" : "\(kind.rawValue):\(name):\(PercentCoding.encode(account))")
    }

    private init(kind: Kind, service: String, account: String, keyDescription: String) {
        self.kind = kind
        self.service = service
        self.account = account
        self.keyDescription = keyDescription
    }

    /// The empty item beside this one that dies sooner, after which it should be fetched anew.
    ///
    /// Its name can't be read back as an identity, so it is not listed.
    package var freshnessMark: ItemIdentity {
        ItemIdentity(kind: kind, service: service, account: account, keyDescription: "fresh:" + keyDescription)
    }

    /// The item beside this one that keeps a failure to get it, so that none is taken for the other.
    ///
    /// Its name can't be read back as an identity, so it is not listed.
    package var failureMark: ItemIdentity {
        ItemIdentity(kind: kind, service: service, account: account, keyDescription: "failed:" + keyDescription)
    }

    /// A token or password of a service.
    ///
    /// Without an account it is the service's one item that has none.
    public static func password(service: String, account: String = "") -> ItemIdentity {
        ItemIdentity(kind: .password, service: service, account: account)
    }

    /// A user's password for a server.
    public static func internet(server: String, account: String = "") -> ItemIdentity {
        ItemIdentity(kind: .internet, service: server, account: account)
    }

    /// A cryptographic key.
    public static func key(tag: String) -> ItemIdentity {
        ItemIdentity(kind: .key, service: tag, account: "")
    }

    /// What a command printed or a call returned, kept to spare doing it again.
    ///
    /// - Parameters:
    ///   - name: what was done.
    ///   - variant: which one of its results, where there are several.
    public static func cached(_ name: String, variant: String = "") -> ItemIdentity {
        ItemIdentity(kind: .cached, service: name, account: variant)
    }

    /// An item of a kind that is known at run time only.
    ///
    /// A key has no account.
    package init(_ kind: Kind, service: String, account: String) {
        self.init(kind: kind, service: service, account: kind == .key ? "" : account)
    }

    /// Reads an identity back from a key's description; `nil` for a key that this library did not name.
    public init?(keyDescription: String) {
        if let plain = ItemIdentity(plainDescription: keyDescription) {
            self = plain
            return
        }
        // By bytes: a colon and an accent that the next part begins with are one character.
        let parts = keyDescription.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            .map { Substring($0) }
        guard let kind = parts.first.flatMap({ Kind(rawValue: String($0)) }),
            parts.count == (kind == .key ? 2 : 3),
            let service = PercentCoding.decode(parts[1]), !service.isEmpty,
            let account = kind == .key ? "" : PercentCoding.decode(parts[2])
        else { return nil }
        // What can be decoded is just what encoding writes.
        self.init(kind: kind, service: service, account: account, keyDescription: keyDescription)
    }
}

extension ItemIdentity {
    /// Reads a description in which nothing is encoded, as nearly all are, where it is; `nil` for every other.
    private init?(plainDescription description: String) {
        var description = description
        let parts = description.withUTF8 { bytes -> (kind: Kind, service: String, account: String)? in
            guard let (first, second) = unsafe Self.separators(in: bytes), second > first + 1,
                let kind = Kind(rawValue: unsafe Self.text(bytes[..<first])), kind != .key
            else { return nil }
            return unsafe (kind, Self.text(bytes[(first + 1)..<second]), Self.text(bytes[(second + 1)...]))
        }
        guard let parts else { return nil }
        self.init(
            kind: parts.kind, service: parts.service, account: parts.account, keyDescription: description)
    }

    /// Where the two colons are; `nil` unless there are just two, between parts in which nothing is encoded.
    private static func separators(in bytes: UnsafeBufferPointer<UInt8>) -> (first: Int, second: Int)? {
        var first: Int?
        var second: Int?
        for offset in bytes.indices {
            let byte = unsafe bytes[offset]
            if byte == UInt8(ascii: ":") {
                guard second == nil else { return nil }
                if first == nil { first = offset } else { second = offset }
            } else {
                let isFirst = offset == (second ?? first ?? -1) + 1
                guard !PercentCoding.needsLook(byte), !(isFirst && byte == UInt8(ascii: ".")) else { return nil }
            }
        }
        guard let first, let second else { return nil }
        return (first, second)
    }

    private static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        unsafe String(decoding: UnsafeBufferPointer(rebasing: bytes), as: UTF8.self)
    }
}

extension ItemIdentity {
    /// What makes a name unusable.
    public enum NameProblem: Hashable, Sendable {
        /// The service, server, tag or namespace is empty.
        case empty
        /// The encoded name has more bytes than a key's description can.
        case tooLong(bytes: Int, limit: Int)
    }

    /// The most bytes that an encoded identity can have: what the kernel allows a description.
    public static let largestDescription = 4_095

    /// What is wrong with the names, if anything.
    package var problem: NameProblem? {
        if service.isEmpty { return .empty }
        let bytes = keyDescription.utf8.count
        return bytes > Self.largestDescription ? .tooLong(bytes: bytes, limit: Self.largestDescription) : nil
    }
}

extension ItemIdentity: Hashable {
    /// Whether both name the same key, byte for byte.
    public static func == (left: ItemIdentity, right: ItemIdentity) -> Bool {
        unsafe left.withDescription { left in
            unsafe right.withDescription { right in unsafe left.elementsEqual(right) }
        }
    }

    /// Hashes the description's bytes.
    public func hash(into hasher: inout Hasher) {
        unsafe withDescription { bytes in unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
    }

    /// All bytes at once: a list of many items hashes and compares a lot.
    private func withDescription<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        var text = keyDescription
        return text.withUTF8(body)
    }
}

extension ItemIdentity: CustomStringConvertible {
    /// The description of the key in the kernel.
    ///
    /// It holds names only, never the secret.
    public var description: String { keyDescription }
}
