import Glibc
import Keyutils
import SecretText
import SessionKeyring

/// Answers the requests of credential helpers' protocols, from the items of a store.
///
/// ```swift
/// let helper = CredentialHelper(items: try SecretStore(.session))
/// let answer = try helper.git("get", request: bytes)
/// ```
///
/// Each protocol is an extension with a method of its name, which reads no file and writes none: bytes in, bytes out.
///
/// What a client stores is an item of the kind `internet`, its service what the client calls the server, its payload the bare
/// secret. What has more than that, such as a refresh token, is of the kind `credential`, in JSON. What is asked
/// for is found among `password`, `internet` and `credential`, in this order.
public struct CredentialHelper: Sendable {
    /// Where the secrets are.
    public let items: any ItemSource
    /// The timeout of what comes without one; `nil` for the scope's life.
    public let timeout: Duration?
    private let clock: @Sendable () -> Int64

    /// - Parameters:
    ///   - items: where the secrets are.
    ///   - timeout: the timeout of what comes without one; `nil` for the scope's life.
    ///   - clock: the time, in seconds since 1970, by which an expiry becomes a timeout.
    public init(
        items: any ItemSource, timeout: Duration? = nil,
        clock: @escaping @Sendable () -> Int64 = CredentialHelper.time
    ) {
        self.items = items
        self.timeout = timeout
        self.clock = clock
    }

    /// The time, in seconds since 1970: `time(2)`.
    public static let time: @Sendable () -> Int64 = { Int64(Glibc.time(nil)) }

    var now: Int64 { clock() }

    /// The timeout of what ends at that time, if nothing ends it earlier; `nil` for the scope's life.
    ///
    /// What is further away than any timeout ends with the longest.
    func timeout(until end: Int64?) -> Duration? {
        guard let end else { return timeout }
        let left = Duration.seconds(
            min(max(end.subtractingReportingOverflow(now).partialValue, 1), Self.longestTimeout))
        return timeout.map { min($0, left) } ?? left
    }

    private static let longestTimeout = Int64(UInt32.max)
}

extension CredentialHelper {
    /// Stores what a client hands over, unless just that would be found: to use a secret does not make it live longer, but a
    /// shorter timeout shortens it.
    ///
    /// - Parameters:
    ///   - fields: what it has besides its secret; with some, it is of the kind `credential`.
    ///   - kind: its kind without fields.
    ///   - owner: among whose items the client looks for it.
    /// - Returns: false if another client has a record of that name, which is left alone.
    @discardableResult
    func store(
        _ secret: SecretBox, _ fields: CredentialFields, service: String, account: String,
        as kind: ItemIdentity.Kind = .internet, of owner: ItemOwner = .others
    ) throws(SecretStoreError) -> Bool {
        // git stores a secret again after each use: that takes no lease.
        if let item = try first(service: service, account: account, of: owner, says: secret, fields) {
            try shorten(item, to: timeout(until: fields.expires))
            return true
        }
        return try items.takingTurns(at: service) { () throws(SecretStoreError) in
            try replace(secret, fields, service: service, account: account, as: kind, of: owner)
        }
    }

    /// The item that a client finds first under this name, if it holds just this.
    private func first(
        service: String, account: String, of owner: ItemOwner, says secret: SecretBox, _ fields: CredentialFields
    ) throws(SecretStoreError) -> ItemIdentity? {
        for kind in ItemIdentity.Kind.ofSecrets {
            let item = ItemIdentity(kind, service: service, account: account)
            guard let bytes = try items.get(item) else { continue }
            let record = CredentialRecord(SecretBox(bytes), of: item)
            guard owner.has(item, record) else { continue }
            return record?.says(secret, fields, at: now) ?? false ? item : nil
        }
        return nil
    }

    /// Does the same for a caller whose turn it is.
    ///
    /// Several kinds can hold the same secret, so a store changes up to three items. Those that store for the same service
    /// take turns, so that one item is left. All others see the new item before the old one is gone, and what they store
    /// meanwhile is never deleted.
    func replace(
        _ secret: SecretBox, _ fields: CredentialFields, service: String, account: String,
        as kind: ItemIdentity.Kind, of owner: ItemOwner
    ) throws(SecretStoreError) -> Bool {
        if !fields.isEmpty, try isTaken(service: service, account: account, for: owner) { return false }
        let item = ItemIdentity(fields.isEmpty ? kind : .credential, service: service, account: account)
        var others: [(item: ItemIdentity, payload: SecretBox)] = []
        var (isFirst, isStored) = (true, false)
        for kind in ItemIdentity.Kind.ofSecrets {
            let name = ItemIdentity(kind, service: service, account: account)
            guard let bytes = try items.get(name) else { continue }
            let payload = SecretBox(bytes)
            let record = CredentialRecord(payload, of: name)
            guard owner.has(name, record) else { continue }
            let isSame = isFirst && record?.says(secret, fields, at: now) ?? false
            if isSame, name != item {
                try shorten(name, to: timeout(until: fields.expires))
                return true
            }
            // A store that lost its turn comes here again: it may still have to delete the others.
            if isSame { isStored = true }
            isFirst = false
            if name != item { others.append((name, payload)) }
        }
        if isStored {
            try shorten(item, to: timeout(until: fields.expires))
        } else {
            let isRecord = item.kind == .credential
            let payload = isRecord ? SecretBox(CredentialRecord.encode(secret, fields)) : secret
            try items.set(payload.bytes, for: item, timeout: timeout(until: fields.expires))
        }
        // These would be found first, or be left over.
        for (other, before) in others { try items.delete(other, ifUnchanged: before.bytes) }
        return true
    }
}
