import Glibc
import Keyutils
import SessionKeyring
import StressSuite

/// The state in which the operations find the item and its rings.
enum ItemState: String, CaseIterable {
    /// The namespace exists, but the item does not.
    case absent
    case live
    /// The item's timeout has ended, but the kernel still has its key.
    case expired
    /// As `live`, in a namespace in which items are updated, so that writers are serialised.
    case updated
    /// As `updated`, and the value is due for a refresh, but usable.
    case due
    /// Nothing was ever stored.
    case noRing = "no-ring"
    /// The items' ring was revoked, and the processes have never seen it alive.
    case deadRing = "dead-ring"
    /// The items' ring was revoked, and the processes remember it.
    case knownDeadRing = "known-dead-ring"
    /// As `knownDeadRing`, in a keyring that all of the user's processes can write to.
    case sharedDeadRing = "shared-dead-ring"
    /// The leases' ring was revoked.
    case deadLeases = "dead-leases"
    /// The user's quota has no room for a second value next to the item's.
    case nearQuota = "near-quota"

    /// Whether the item's ring is dead, and the item with it.
    var hasDeadRing: Bool { [.deadRing, .knownDeadRing, .sharedDeadRing].contains(self) }
    var access: SecretScope.ItemAccess { self == .sharedDeadRing ? .owner : .possessor }

    /// The size of the values that the operations write, in bytes.
    var valueSize: Int {
        self == .nearQuota ? 1_000 : 20
    }
}

/// The keyring of a scene, in the state that it needs before the operations.
struct Stage {
    let state: ItemState
    let anchor: Keyring
    /// The stores of the processes.
    let stores: [SecretStore]
    /// The operations on each item so far.
    private(set) var history: [ItemIdentity: [ItemOperation]] = [:]
    /// A store that looks at the result.
    let observer: SecretStore

    /// The facts about the scene's value in the state `due`.
    static let dueFacts = ItemFacts(usability: .always)

    /// - Parameters:
    ///   - expiresSoon: whether the item's timeout ends within the next second.
    ///   - keepsDeadRing: whether a link keeps the kernel from collecting a dead ring before a process that saw it
    ///     acts on it.
    ///   - isInSession: whether the items are in the session keyring itself, where a new program finds them.
    init(_ state: ItemState, expiresSoon: Bool, keepsDeadRing: Bool, isInSession: Bool) throws {
        self.state = state
        let session = try SessionMembership.joinAnonymous()
        anchor = isInSession ? session : try session.addKeyring("pairs")
        let scope = SecretScope.keyring(anchor.serial, isOpenToOwner: state.access == .owner)
        // Like the library's own rings: if they are open to the owner, the user's permissions include everything.
        if state.access == .owner { try Key(anchor).setPermissions([.possessorAll, .userAll]) }
        func makeStore() throws -> SecretStore { try SecretStore(scope, namespace: SceneItem.namespace) }
        observer = try makeStore()
        stores = [try makeStore(), try makeStore(), try makeStore()]
        guard state != .noRing else { return }
        try storeItems(expiringSoon: expiresSoon)
        if state == .knownDeadRing || state == .sharedDeadRing {
            for store in stores { _ = try store.contains(SceneItem.contested) }
        }
        try breakRings(keptIn: keepsDeadRing ? session.addKeyring("kept") : nil)
        if state == .nearQuota { try fillQuota(of: session) }
    }

    private mutating func storeItems(expiringSoon: Bool) throws {
        try write(SceneItem.bystander, timeout: Role.scene.timeout)
        let isBrief = expiringSoon || state == .expired
        if isBrief { Self.awaitSecond(startingAt: 940_000_000) }
        try write(SceneItem.contested, timeout: isBrief ? 1 : Role.scene.timeout)
        if state == .absent { try delete() }
        if state == .expired { try awaitExpiry() }
        if state == .updated {
            try observer.blockingUpdate(.password(service: "counter"), as: String.self, lasting: .seconds(900)) { _ in
                "1"
            }
        }
    }

    private mutating func write(_ item: ItemIdentity, timeout: UInt32) throws {
        let invoked = MonotonicTime.now
        let value = SceneItem.value(Role.scene.stamp, size: state.valueSize)
        if state == .due, item == SceneItem.contested {
            try setDue(value, timeout: timeout)
        } else {
            try observer.set(value, for: item, lasting: .seconds(Int(timeout)))
        }
        note(.write(Role.scene.stamp, timeout: timeout), item, since: invoked)
    }

    private func setDue(_ value: String, timeout: UInt32) throws {
        let (bytes, timeout) = (Array(value.utf8), try KeyTimeout(.seconds(Int(timeout))))
        var wait = Wait()
        try wait.run { effort throws(SecretStoreError) in
            try observer.backend.set(
                bytes.span.bytes, for: SceneItem.contested, timeout: timeout, Self.dueFacts, effort, after: nil)
        }
    }

    private mutating func delete() throws {
        let invoked = MonotonicTime.now
        let isFound = try observer.delete(SceneItem.contested)
        note(.remove(found: isFound), SceneItem.contested, since: invoked)
    }

    private mutating func note(_ effect: ItemOperation.Effect, _ item: ItemIdentity, since invoked: UInt64) {
        history[item, default: []].append(
            ItemOperation(
                worker: Role.scene.worker, effect: effect, invoked: invoked, returned: MonotonicTime.now))
    }

    private mutating func awaitExpiry() throws {
        Self.awaitEndOfSecond()
        let invoked = MonotonicTime.now
        guard try !observer.contains(SceneItem.contested) else { throw SceneError("the item does not expire") }
        note(.read(nil), SceneItem.contested, since: invoked)
    }

    /// Waits for the end of a timeout of one second that was set in the current second.
    ///
    /// The timeout ends with that second, and the kernel notices this at its next tick.
    static func awaitEndOfSecond() {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        usleep(UInt32(1_000_000_000 - now.tv_nsec) / 1_000 + 15_000)
    }

    private static func awaitSecond(startingAt nanosecond: Int) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        if now.tv_nsec < nanosecond { usleep(UInt32(nanosecond - now.tv_nsec) / 1_000) }
    }

    /// Revokes the rings that the state needs dead.
    ///
    /// The items in a revoked ring are lost.
    private mutating func breakRings(keptIn keeper: Keyring?) throws {
        guard state.hasDeadRing || state == .deadLeases else { return }
        let invoked = MonotonicTime.now
        for serial in try anchor.members() {
            let isItems = try Key(serial).describe().name == "skr:" + SceneItem.namespace
            guard isItems == state.hasDeadRing else { continue }
            try keeper?.link(Key(serial))
            try Key(serial).revoke()
        }
        guard state.hasDeadRing else { return }
        for item in [SceneItem.contested, SceneItem.bystander] { note(.wipe, item, since: invoked) }
    }

    /// Fills the quota until less than one value fits.
    private func fillQuota(of session: Keyring) throws {
        let rooms = [300, 600]
        let quota = try KeyQuota.current()
        let room = rooms[Int(anchor.serial.rawValue.magnitude) % rooms.count]
        // A key is charged for its payload, its description and one byte.
        let size = quota.maximumBytes - quota.bytes - room - 8
        guard size > 0 else { return }
        let payload = [UInt8](repeating: 1, count: min(size, Key.largestUserPayload))
        _ = try session.add(.user, "filler", payload: payload.span.bytes)
    }
}

/// The reason why a scene could not be played.
struct SceneError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
