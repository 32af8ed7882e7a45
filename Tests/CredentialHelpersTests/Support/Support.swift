import CredentialHelpers
import Keyutils
import SessionKeyring
import SessionKeyringTesting
import Threads

/// A helper with its own items in memory, and a clock that stands still.
struct HelperUnderTest {
    static let now: Int64 = 1_790_000_000

    private static let instant = ContinuousClock.now

    let store: SecretStore
    let helper: CredentialHelper

    /// - Parameter backend: The backend to use instead of the usual one in memory.
    init(timeout: Duration? = nil, backend: (any SecretBackend)? = nil) {
        store = SecretStore(backend: backend ?? InMemoryBackend(now: { Self.instant }))
        helper = CredentialHelper(items: store, timeout: timeout, clock: { Self.now })
    }

    /// - Parameter items: The source of the helper's items, which uses this store.
    init(_ items: any ItemSource, over store: SecretStore, timeout: Duration? = nil) {
        self.store = store
        helper = CredentialHelper(items: items, timeout: timeout, clock: { Self.now })
    }

    struct Said: Equatable {
        let output: String
        var exitCode: Int32 = 0
        var message: String?
        /// The item that was not found.
        var missing: ItemIdentity?
    }

    /// Returns the answer to a request of these bytes.
    @discardableResult
    func answer(_ request: some Sequence<UInt8> = [], _ body: (RawSpan) throws -> HelperAnswer) rethrows -> Said {
        let bytes = Array(request)
        let answer = try body(bytes.span.bytes)
        let output = answer.output.withBytes { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
        return Said(output: output, exitCode: answer.exitCode, message: answer.message, missing: answer.missing)
    }

    @discardableResult
    func git(_ operation: String, _ request: String = "") throws -> Said {
        try answer(request.utf8) { try helper.git(operation, request: $0) }
    }

    @discardableResult
    func docker(_ operation: String, _ request: String = "") throws -> Said {
        try answer(request.utf8) { try helper.docker(operation, request: $0, version: "1") }
    }

    /// Stores a secret with its expiry, as git does.
    func plantExpiring(_ end: Int64, service: String, account: String = "") throws {
        try store.set("{\"secret\":\"s\",\"expires\":\(end)}", for: .credential(service: service, account: account))
    }

    /// The expiry of an item that has this many seconds left.
    static func after(_ seconds: Int64) -> ItemAttributes.Expiry {
        .after(KeyTimeLeft(atLeast: .seconds(seconds), precision: .seconds(1)))
    }

    /// Returns the expiry of a stored item.
    func expiry(of item: ItemIdentity) throws -> ItemAttributes.Expiry? { try store.attributes(of: item)?.expiry }

    /// The stored secrets, by their key descriptions in the kernel.
    var stored: [String: String] {
        get throws {
            var stored: [String: String] = [:]
            for item in try store.identities() { stored[item.keyDescription] = try store.get(item, as: String.self) }
            return stored
        }
    }
}

/// A source whose required methods are those of a store.
protocol ForwardingItems: ItemSource {
    var store: SecretStore { get }
}

extension ForwardingItems {
    func identities() throws(SecretStoreError) -> [ItemIdentity] { try store.identities() }
    func get(_ item: ItemIdentity) throws(SecretStoreError) -> SecretBytes? { try store.get(item) }
    func delete(_ item: ItemIdentity) throws(SecretStoreError) -> Bool { try store.delete(item) }
    func set(_ secret: borrowing SecretBytes, for item: ItemIdentity, timeout: Duration?) throws(SecretStoreError) {
        try store.set(secret, for: item, lasting: Lifetime(timeout))
    }
}

/// A source that implements only the required methods, like one written before the protocol had the others.
struct PlainItems: ForwardingItems {
    let store: SecretStore
}
