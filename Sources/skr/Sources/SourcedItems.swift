import CommandSupport
import CredentialHelpers
import Keyutils
import SecretText
import SessionKeyring

/// The items of a store and, for items that it lacks, the sources.
///
/// The sources file is read only when an item is missing. A source counts only if the store has no item of that service
/// and account, of whatever kind.
final class SourcedItems: ItemSource {
    let store: SecretStore
    private let place: Place
    private let usesSources: Bool
    private let warns: Bool
    // Only one thread uses them.
    private nonisolated(unsafe) var file: Result<SourcesFile?, CommandError>?
    /// The reason why a source gave no answer; `nil` if none failed.
    nonisolated(unsafe) var failure: CommandError?
    private nonisolated(unsafe) var hasFetchFailed = false
    private nonisolated(unsafe) var fetched: [(item: ItemIdentity, secret: SecretBox, end: Int64?)] = []

    init(_ store: SecretStore, of place: Place, usesSources: Bool = true, warns: Bool = true) {
        (self.store, self.place, self.usesSources, self.warns) = (store, place, usesSources, warns)
    }

    /// Returns the source of exactly this item, if the store has no such item; `nil` if there isn't one.
    func source(of item: ItemIdentity) throws(CommandError) -> Source? {
        guard item.kind == .password,
            let source = try sourcesFile()?.source(of: item, scope: place.scope, namespace: place.namespace),
            try !CommandError.translating({ try store.hasSecret(of: item) })
        else { return nil }
        return source
    }

    /// Returns the secret of a source, whose command runs only once, even if its output can't be stored.
    func secret(of source: Source) throws(CommandError) -> SecretBox {
        if let known = unsafe fetched.first(where: { $0.item == source.item }) { return known.secret }
        let (secret, end) = try source.secret(in: store, of: place, warns: warns)
        unsafe fetched.append((source.item, secret, end))
        return secret
    }

    private func sourcesFile() throws(CommandError) -> SourcesFile? {
        guard usesSources else { return nil }
        let read = unsafe file ?? Result { () throws(CommandError) in try SourcesFile.read() }
        unsafe file = read
        return try read.get()
    }

    /// Returns whether a line of the file is for such an item; after an error, which it reports, it returns true.
    func declares(_ isMeant: (ItemIdentity) -> Bool) -> Bool {
        do throws(CommandError) {
            return try declared().contains(where: isMeant)
        } catch {
            Console.warn(error)
            return true
        }
    }

    private func declared(of service: String? = nil) throws(CommandError) -> [ItemIdentity] {
        try sourcesFile()?.items(of: service, scope: place.scope, namespace: place.namespace) ?? []
    }

    // A lookup reports only errors of a store. So a failed source counts as a missing item, and `failure` has the
    // reason.

    func contains(_ item: ItemIdentity) throws(SecretStoreError) -> Bool {
        if try store.contains(item) { return true }
        return recording { () throws(CommandError) in try source(of: item) } != nil
    }

    /// Returns the items of the store and those of the sources.
    ///
    /// - Parameter service: the service of the sources' items; `nil` for all.
    func identities(of service: String?) throws(SecretStoreError) -> [ItemIdentity] {
        let items = try store.identities()
        let sources = recording { () throws(CommandError) in try declared(of: service) }
        // Not a set, for which Swift's runtime would search all types of the program.
        let hidden = items.filter(\.kind.isOfSecrets).map {
            ItemIdentity.password(service: $0.service, account: $0.account)
        }
        var found = items
        for source in sources ?? [] {
            if hidden.contains(source), try store.hasSecret(of: source) { continue }
            found.append(source)
        }
        return found
    }

    // Only the first choice counts. If its source fails, a helper's client gets no other secret.

    func identities() throws(SecretStoreError) -> [ItemIdentity] {
        unsafe hasFetchFailed ? [] : try identities(of: nil)
    }

    func get(_ item: ItemIdentity) throws(SecretStoreError) -> SecretBytes? {
        guard unsafe !hasFetchFailed else { return nil }
        if let bytes = try store.get(item) { return bytes }
        let secret = recording { () throws(CommandError) -> SecretBox? in
            guard let source = try source(of: item) else { return nil }
            unsafe hasFetchFailed = true
            let fetched = try self.secret(of: source)
            unsafe hasFetchFailed = false
            return fetched
        }
        if let secret { return secret.bytes.withBytes { SecretBytes(copying: $0) } }
        // An item that is stored in the meantime hides its source.
        return unsafe hasFetchFailed ? nil : try store.get(item)
    }

    private func recording<Value>(_ body: () throws(CommandError) -> Value?) -> Value? {
        do throws(CommandError) {
            return try body()
        } catch {
            unsafe failure = error
            return nil
        }
    }

    // A helper that reads calls none of the other functions, which have defaults.

    func set(_ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration?) throws(SecretStoreError) {
        try store.set(secret, for: item, lasting: Lifetime(timeout))
    }

    func delete(_ item: ItemIdentity) throws(SecretStoreError) -> Bool { try store.delete(item) }

    func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes? {
        if let stored = try store.attributes(of: item) { return stored }
        // The secret of a source that ends too soon to be stored.
        guard let (_, secret, end) = unsafe fetched.first(where: { $0.item == item }), let end else { return nil }
        let left = KeyTimeLeft(atLeast: .seconds(max(end - CredentialHelper.time(), 0)), precision: .seconds(1))
        return ItemAttributes(
            item: item, size: secret.count, expiry: .after(left), serial: KeySerial(rawValue: 0), userID: 0, groupID: 0,
            permissions: [])
    }
}

extension SecretStore {
    /// Whether there is an item of this service and account, of whatever kind, whose secret has not expired.
    func hasSecret(of item: ItemIdentity) throws(SecretStoreError) -> Bool {
        for kind in ItemIdentity.Kind.ofSecrets {
            let item = ItemIdentity(kind, service: item.service, account: item.account)
            if kind != .credential, try contains(item) { return true }
            if kind == .credential, let bytes = try get(item) {
                return CredentialRecord(SecretBox(bytes), of: item)?.isOver != true
            }
        }
        return false
    }
}

extension CredentialRecord {
    /// Whether the secret has expired; a record with a refresh token outlives its secret.
    var isOver: Bool { expires.map { $0 <= CredentialHelper.time() } ?? false }
}

extension CredentialHelper {
    /// The reason why a source gave no answer.
    var sourceFailure: CommandError? { unsafe (items as? SourcedItems)?.failure }
}
