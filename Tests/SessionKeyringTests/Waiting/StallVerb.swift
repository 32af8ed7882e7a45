import Foundation
import Keyutils
import SessionKeyring

/// An asynchronous verb of a store.
enum StallVerb: String, CaseIterable, Codable {
    case set, add, expire, removeTimeout, delete
    case update, invalidate
    case setRefreshAfter = "set(refreshAfter:)"
    case value, refreshedValue
    case tryLease, lease, withLease

    /// The verbs that raise the update flag.
    static let flagRaisers: [StallVerb] = [.add, .update, .invalidate, .setRefreshAfter, .value, .refreshedValue]
    /// The verbs that don't need a leases' ring if the old one is dead.
    static let ringless: [StallVerb] = [.expire, .removeTimeout, .delete]

    /// One verb for each way of waiting for quota.
    static let quotaSample: [StallVerb] = [.set, .delete, .update, .value, .refreshedValue, .lease]

    /// Whether each task has its own item or lease, because otherwise the work of one task would be enough for all.
    var hasManyItems: Bool { self == .value || self == .refreshedValue || self == .tryLease }

    /// Stores the items that the verb needs.
    func prepare(_ place: StallPlace, for obstacle: StallCase.Obstacle) throws {
        let (store, item) = (place.store, place.item)
        // Creates the namespace's rings.
        try store.set("other", for: .password(service: "other"))
        switch self {
        case .add where obstacle == .updateFlag:
            try store.set("old", for: item)
            try place.itemKey().revoke()
        case .add, .value, .refreshedValue, .tryLease, .lease, .withLease: break
        default: try store.set("old", for: item, lasting: .seconds(600))
        }
    }

    /// Takes a lease that this verb waits for, as another process would.
    func hold(_ place: StallPlace, for obstacle: StallCase.Obstacle) throws -> AnyObject? {
        let (store, item) = (place.store, place.item)
        switch self {
        case .value where obstacle == .heldItem, .refreshedValue where obstacle == .heldItem:
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
        case .set: try await store.set("new", for: item, lasting: .seconds(600), waiting: limit)
        case .add: try await store.add("new", for: item, lasting: .seconds(600), waiting: limit)
        case .expire: try await store.expire(item, timeout: .seconds(30), waiting: limit)
        case .removeTimeout: try await store.expire(item, timeout: nil, waiting: limit)
        case .delete: try await store.delete(item, waiting: limit)
        case .update:
            try await store.update(item, lasting: .seconds(600), waiting: limit) { (_: String?) in "new" }
        case .invalidate: try await store.slot(for: item, as: String.self).invalidate("old", waiting: limit)
        case .setRefreshAfter:
            try await store.set(
                "new", for: item, lasting: Lifetime(.seconds(600), refreshAfter: .seconds(60)), waiting: limit)
        case .value:
            _ = try await store.value(
                for: item, as: String.self, lasting: Lifetime(.seconds(600), refreshAfter: .seconds(60))
            ) { "new" }
        case .refreshedValue:
            _ = try await store.refreshedValue(for: item, as: String.self) { _ in
                ("new", Lifetime(.seconds(600), refreshAfter: .seconds(60)))
            }
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
