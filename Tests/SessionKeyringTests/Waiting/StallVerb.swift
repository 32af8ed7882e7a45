import Foundation
import Keyutils
import SessionKeyring

/// An asynchronous verb of a store.
enum StallVerb: String, CaseIterable, Codable {
    case set, add, expire, removeTimeout, delete
    case clear = "clear(of:service:)"
    case update, invalidate
    case setRefreshAfter = "set(refreshAfter:)"
    case value = "value(for:)"
    case tryLease, lease, withLease

    /// The verbs that raise the update flag.
    static let flagRaisers: [StallVerb] = [.add, .update, .invalidate, .setRefreshAfter, .value]
    /// The verbs that don't need a leases' ring if the old one is dead.
    static let ringless: [StallVerb] = [.expire, .removeTimeout, .delete, .clear]

    /// One verb for each way of waiting for quota.
    static let quotaSample: [StallVerb] = [.set, .delete, .update, .value, .lease]

    /// Whether each task has its own item or lease, because otherwise the work of one task would be enough for all.
    var hasManyItems: Bool { self == .value || self == .tryLease }

    /// Stores the items that the verb needs.
    func prepare(_ place: StallPlace, for obstacle: StallCase.Obstacle) throws {
        let (store, item) = (place.store, place.item)
        // Creates the namespace's rings.
        try store.set("other", for: .password(service: "other"))
        switch self {
        case .add where obstacle == .updateFlag:
            try store.set("old", for: item)
            try place.itemKey().revoke()
        case .add, .value, .tryLease, .lease, .withLease: break
        default: try store.set("old", for: item, timeout: .seconds(600))
        }
    }

    /// Takes a lease that this verb waits for, as another process would.
    func hold(_ place: StallPlace, for obstacle: StallCase.Obstacle) throws -> AnyObject? {
        let (store, item) = (place.store, place.item)
        switch self {
        case .value where obstacle == .heldItem:
            return try store.backend.takeLease("fetch:" + item.keyDescription, lasting: .seconds(10))
        case .tryLease:
            // The verb waits only for the kernel to collect an expired lease.
            let lease = try store.backend.takeLease(place.leaseName, lasting: .milliseconds(10))
            usleep(12_000)
            return lease
        case .lease, .withLease: return try store.backend.takeLease(place.leaseName, lasting: .seconds(10))
        default: return try store.backend.beginUpdate(of: item, lasting: .seconds(10))
        }
    }

    /// Runs the verb, and returns "done", or "nil" if it got no lease.
    func call(_ place: StallPlace) async throws -> String {
        let (store, item, limit) = (place.store, place.item, Duration.milliseconds(StallCase.longestWait))
        switch self {
        case .set: try await store.set("new", for: item, timeout: .seconds(600), waiting: limit)
        case .add: try await store.add("new", for: item, timeout: .seconds(600), waiting: limit)
        case .expire: try await store.expire(item, timeout: .seconds(30), waiting: limit)
        case .removeTimeout: try await store.removeTimeout(of: item, waiting: limit)
        case .delete: try await store.delete(item, waiting: limit)
        case .clear: try await store.clear(of: .password, service: StallPlace.service, waiting: limit)
        case .update:
            try await store.update(item, timeout: .seconds(600), waiting: limit) { (_: String?) in "new" }
        case .invalidate: try await store.invalidate("old", for: item, waiting: limit)
        case .setRefreshAfter:
            try await store.set(
                "new", for: item, timeout: .seconds(600), refreshAfter: .seconds(60), waiting: limit)
        case .value:
            _ = try await store.value(for: item, timeout: .seconds(600), refreshAfter: .seconds(60)) { "new" }
        case .tryLease:
            guard let lease = try await store.tryLease(place.leaseName) else { return "nil" }
            lease.release()
        case .lease: try await store.lease(place.leaseName, waiting: limit).release()
        case .withLease: try await store.withLease(place.leaseName, waiting: limit) { _ in }
        }
        return "done"
    }
}

/// The store, item and lease of one task.
struct StallPlace: Sendable {
    static let service = "stall"

    let anchor: Keyring
    let namespace: String
    let store: SecretStore
    let item: ItemIdentity
    let leaseName: String

    init(anchor: Keyring, namespace: String = "default", number: Int, isOpenToOwner: Bool = false) throws {
        self.anchor = anchor
        self.namespace = namespace
        store = try SecretStore(.keyring(anchor.serial, isOpenToOwner: isOpenToOwner), namespace: namespace)
        item = .password(service: Self.service, account: "\(number)")
        leaseName = "lease \(number)"
    }

    func itemKey() throws -> Key {
        try anchor.search(keyring: "skr:\(namespace)").search(.user, item.keyDescription)
    }
}
