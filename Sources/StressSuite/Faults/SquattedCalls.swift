import Keyutils
import SessionKeyring
import Threads

/// Calls on the names that the hostile neighbor has taken.
///
/// They are allowed to fail, but only in time.
struct SquattedCalls {
    private enum Kind: String, CaseIterable {
        case get, set, add, delete, expire, update, lease, list, items
    }

    let store: SecretStore
    private var choices: Choices
    private(set) var count = 0
    /// The duration of the longest call, in nanoseconds.
    private(set) var longest: UInt64 = 0
    private(set) var slowest = ""
    /// An error that no call of a store should throw, whatever the keyring contains.
    private(set) var unexpected: String?

    /// The longest time that a call may take, in nanoseconds.
    ///
    /// It is longer than a writer waits for others and for quota.
    static let bound: UInt64 = 12_000_000_000

    init(store: SecretStore, seed: UInt64, round: Int) {
        self.store = store
        choices = Choices(seed: seed, stream: .max / 2 - UInt64(round))
    }

    mutating func step() {
        let item = HostileNeighbor.squat(choices.below(4))
        let kind = Kind.allCases[choices.below(Kind.allCases.count)]
        let began = MonotonicTime.now
        do {
            try call(kind, item)
        } catch {
            if !Self.isExpected(error, of: kind) { unexpected = unexpected ?? "\(kind.rawValue) of \(item): \(error)" }
        }
        count += 1
        let time = MonotonicTime.now - began
        if time > longest { (longest, slowest) = (time, "\(kind.rawValue) of \(item)") }
    }

    /// Whether a call is allowed to throw an error.
    ///
    /// A list is not: it shows unreadable items, and never fails.
    private static func isExpected(_ error: any Error, of kind: Kind) -> Bool {
        guard let error = error as? SecretStoreError, kind != .list, kind != .items else { return false }
        return (error.code != .unexpected || error.detail != nil) && error.code != .sessionRevoked
    }

    static func update(_ item: ItemIdentity, in store: SecretStore) throws {
        try store.blockingUpdate(item, as: String.self, lasting: .seconds(900)) { _ in "updated" }
    }

    private func call(_ kind: Kind, _ item: ItemIdentity) throws {
        switch kind {
        case .set: try store.set("squatted", for: item, lasting: .seconds(900))
        case .add: try store.add("squatted", for: item, lasting: .seconds(900))
        case .delete: try store.delete(item)
        case .expire: try store.expire(item, timeout: .seconds(800))
        case .update: try Self.update(item, in: store)
        case .lease:
            try store.withBlockingLease(HostileNeighbor.name, lasting: .milliseconds(50), waiting: .zero) { _ in }
        case .list: _ = try store.identities()
        case .items: _ = try store.items()
        case .get: _ = try store.bytes(of: item)
        }
    }
}
