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
    private nonisolated(unsafe) var file: SourcesFile?
    private nonisolated(unsafe) var isFileRead = false
    /// The reason why a source gave no answer; `nil` if none failed.
    private(set) nonisolated(unsafe) var failure: CommandError?

    private nonisolated(unsafe) var fetched: [(item: ItemIdentity, secret: SecretBox)] = []

    init(_ store: SecretStore, of place: Place, usesSources: Bool = true, warns: Bool = true) {
        (self.store, self.place, self.usesSources, self.warns) = (store, place, usesSources, warns)
    }

    /// Returns the source of exactly this item, if the store has no such item; `nil` if there isn't one.
    func source(of item: ItemIdentity) throws(CommandError) -> Source? {
        // After a failure, no other source is tried: only the first choice may run.
        guard unsafe failure == nil, item.kind == .password, let file = try sourcesFile(),
            let source = try file.source(of: item, scope: place.scope, namespace: place.namespace)
        else { return nil }
        let isThere = try CommandError.translating {
            try ItemIdentity.Kind.ofSecrets.contains { kind in
                try store.contains(ItemIdentity(kind, service: item.service, account: item.account))
            }
        }
        return isThere ? nil : source
    }

    /// Returns the secret of a source, whose command runs only once, even if its output can't be stored.
    func secret(of source: Source) throws(CommandError) -> SecretBox {
        if let known = unsafe fetched.first(where: { $0.item == source.item }) { return known.secret }
        let secret = try source.secret(in: store, of: place, warns: warns)
        unsafe fetched.append((source.item, secret))
        return secret
    }

    /// Returns the items of the store and those of the sources.
    ///
    /// - Parameter service: the service of the sources' items; `nil` for all.
    func identities(of service: String?) throws(CommandError) -> [ItemIdentity] {
        let items = try CommandError.translating(store.identities)
        let sources = try sourcesFile()?.items(of: service, scope: place.scope, namespace: place.namespace) ?? []
        // Not a set, for which Swift's runtime would search all types of the program.
        let hidden = items.filter(\.kind.isOfSecrets).map {
            ItemIdentity.password(service: $0.service, account: $0.account)
        }
        return items + sources.filter { !hidden.contains($0) }
    }

    private func sourcesFile() throws(CommandError) -> SourcesFile? {
        if unsafe usesSources && !isFileRead {
            unsafe file = try SourcesFile.read()
            unsafe isFileRead = true
        }
        return unsafe file
    }

    // A helper's source of items reports only errors of a store. So a failed source counts as a missing item, and
    // `failure` has the reason.

    func recordingSource(of item: ItemIdentity) -> Source? {
        recording { () throws(CommandError) in try source(of: item) } ?? nil
    }

    func identities() throws(SecretStoreError) -> [ItemIdentity] {
        if let all = recording({ () throws(CommandError) in try identities(of: nil) }) { return all }
        return try store.identities()
    }

    func get(_ item: ItemIdentity) throws(SecretStoreError) -> SecretBytes? {
        if let bytes = try store.get(item) { return bytes }
        let found = recording { () throws(CommandError) -> SecretBox? in
            guard let source = try source(of: item) else { return nil }
            return try secret(of: source)
        }
        if let secret = found ?? nil { return secret.bytes.withBytes { SecretBytes(copying: $0) } }
        // An item that is stored in the meantime hides its source.
        return try store.get(item)
    }

    private func recording<Value>(_ body: () throws(CommandError) -> Value) -> Value? {
        do throws(CommandError) {
            return try body()
        } catch {
            unsafe failure = error
            return nil
        }
    }

    func set(_ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration?) throws(SecretStoreError) {
        try store.set(secret, for: item, timeout: timeout)
    }

    func delete(_ item: ItemIdentity) throws(SecretStoreError) -> Bool { try store.delete(item) }

    func delete(_ item: ItemIdentity, ifUnchanged secret: borrowing SecretBytes) throws(SecretStoreError) -> Bool {
        try store.delete(item, ifUnchanged: secret)
    }

    func takingTurns<Result>(
        at service: String, _ body: () throws(SecretStoreError) -> Result
    ) throws(SecretStoreError) -> Result { try store.takingTurns(at: service, body) }

    func attributes(of item: ItemIdentity) throws(SecretStoreError) -> ItemAttributes? {
        try store.attributes(of: item)
    }

    func expire(_ item: ItemIdentity, timeout: Duration) throws(SecretStoreError) -> Bool {
        try store.expire(item, timeout: timeout)
    }
}

extension CredentialHelper {
    /// The reason why a source gave no answer.
    var sourceFailure: CommandError? { unsafe (items as? SourcedItems)?.failure }
}
