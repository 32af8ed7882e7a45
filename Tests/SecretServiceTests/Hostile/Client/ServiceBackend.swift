import Keyutils
import SessionKeyring
import Threads

/// The items of a Secret Service, as one of its clients sees them.
///
/// A client can only get, set, delete, search, and clear by deleting each item. The service decides about timeouts.
struct ServiceBackend: SecretBackend {
    private let client: Locked<ServiceClient>

    /// - Parameter path: the service's socket.
    init(path: String) throws {
        client = Locked(try ServiceClient(path: path))
    }

    /// Makes one attempt to change the item.
    private func attempt<Result>(
        _ item: ItemIdentity, _ body: (ServiceClient) throws(ServiceClient.Failure) -> Result
    ) throws(SecretStoreError) -> Outcome<Result> {
        do throws(SecretStoreError) {
            return .done(try calling(item, body))
        } catch {
            guard error.code == .contended || error.code == .quotaExceeded else { throw error }
            return .blocked(error)
        }
    }

    private func calling<Result>(
        _ item: ItemIdentity?, _ body: (ServiceClient) throws(ServiceClient.Failure) -> Result
    ) throws(SecretStoreError) -> Result {
        do throws(ServiceClient.Failure) {
            return try client.withLock { (client) throws(ServiceClient.Failure) in try body(client) }
        } catch {
            let code: SecretStoreError.Code =
                switch error.name.split(separator: ".").last {
                case nil: .unavailable
                case "Timeout": .contended
                case "LimitsExceeded": .quotaExceeded
                case "AccessDenied": .forbidden
                default: .unexpected
                }
            throw SecretStoreError(code, item: item)
        }
    }

    private static func attributes(_ item: ItemIdentity) -> [String: String] {
        ["service": item.service, "username": item.account]
    }

    func read(_ item: ItemIdentity, _ body: (RawSpan) -> Void) throws(SecretStoreError) -> Bool {
        let secret: [UInt8]? = try calling(item) { client throws(ServiceClient.Failure) in
            guard let path = try client.search(Self.attributes(item)).first else { return nil }
            return try client.secret(at: path)
        }
        guard let secret else { return false }
        body(secret.span.bytes)
        return true
    }

    func set(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort,
        after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Void> {
        let secret = bytes.withUnsafeBytes { Array($0) }
        return try attempt(item) { client throws(ServiceClient.Failure) in
            _ = try client.create(Self.attributes(item), secret)
        }
    }

    func contains(_ item: ItemIdentity) throws(SecretStoreError) -> Bool {
        try calling(item) { client throws(ServiceClient.Failure) in try !client.search(Self.attributes(item)).isEmpty }
    }

    func delete(
        _ item: ItemIdentity, _ effort: Effort, after step: VisibleStep?
    ) throws(SecretStoreError) -> Outcome<Bool> {
        try attempt(item) { client throws(ServiceClient.Failure) in
            guard let path = try client.search(Self.attributes(item)).first else { return false }
            return try client.delete(path)
        }
    }

    func clear() throws(SecretStoreError) {
        try calling(nil) { client throws(ServiceClient.Failure) in
            for path in try client.search([:]) { _ = try client.delete(path) }
        }
    }

    func identities() throws(SecretStoreError) -> [ItemIdentity] {
        try calling(nil) { client throws(ServiceClient.Failure) in try client.search([:]) }.compactMap(Self.identity)
    }

    /// Decodes the last element of a path, in which `_` and two digits stand for a byte.
    private static func identity(_ path: String) -> ItemIdentity? {
        let parts = path.split(separator: "/").last?.split(separator: "_", omittingEmptySubsequences: false) ?? []
        let text = parts.dropFirst().reduce(String(parts.first ?? "")) { text, part in
            text + (UInt8(part.prefix(2), radix: 16).map { String(Unicode.Scalar($0)) } ?? "") + part.dropFirst(2)
        }
        return ItemIdentity(keyDescription: text)
    }
}

/// The calls that a client of the Secret Service can't make.
extension ServiceBackend {
    func readWithFacts(
        _ item: ItemIdentity, _ body: (RawSpan) -> Void
    ) throws(SecretStoreError) -> KnownValue? {
        throw SecretStoreError(.unsupported, item: item)
    }

    func changeFacts(
        of item: ItemIdentity, _ value: KnownValue, _ effort: Effort, _ change: (inout ItemFacts) -> Void
    ) throws(SecretStoreError) -> Outcome<Bool> {
        throw SecretStoreError(.unsupported, item: item)
    }

    func add(
        _ bytes: RawSpan, for item: ItemIdentity, timeout: KeyTimeout?, _ facts: ItemFacts?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Void> {
        throw SecretStoreError(.unsupported, item: item)
    }

    func expire(
        _ item: ItemIdentity, timeout: KeyTimeout?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        throw SecretStoreError(.unsupported, item: item)
    }

    func delete(
        _ item: ItemIdentity, ifUnchanged secret: borrowing SecretBytes, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<Bool> {
        throw SecretStoreError(.unsupported, item: item)
    }

    func unreadableKeys() throws(SecretStoreError) -> [KeySerial] { throw SecretStoreError(.unsupported) }

    func itemsWithHidden() throws(SecretStoreError) -> Set<ItemIdentity> { throw SecretStoreError(.unsupported) }
    func isBeingWritten(_ item: ItemIdentity) throws(SecretStoreError) -> Bool { false }

    func attributes() throws(SecretStoreError) -> [ItemAttributes] { throw SecretStoreError(.unsupported) }

    func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes? {
        throw SecretStoreError(.unsupported, item: item)
    }

    func beginUpdate(
        of item: ItemIdentity, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any ItemUpdate> {
        throw SecretStoreError(.unsupported, item: item)
    }

    func beginFetch(
        of item: ItemIdentity, reserving size: Int?, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<(any ItemFetch)?> {
        throw SecretStoreError(.unsupported, item: item)
    }

    func takeLease(
        _ name: String, lasting duration: Duration, _ effort: Effort
    ) throws(SecretStoreError) -> Outcome<any LeaseHandle> {
        throw SecretStoreError(.unsupported)
    }

    func isLeaseHeld(_ name: String) throws(SecretStoreError) -> Bool { throw SecretStoreError(.unsupported) }
    func leaseReport(_ name: String) -> LeaseReport? { nil }
    var place: StorePlace? { nil }
}
