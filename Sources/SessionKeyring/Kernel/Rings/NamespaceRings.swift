import Glibc
package import Keyutils
import Synchronization

/// The two keyrings of a namespace: one for its items, and one for leases.
///
/// Here, a *ring* is a keyring that the store has made, and the *anchor* is the keyring that the scope stands for, such
/// as the session keyring. The anchor links the rings: an items' ring for each namespace, and one leases' ring, which
/// all namespaces share.
///
/// This class remembers the serials of both rings. Each serial is one atomic number, so a get holds no lock. A
/// remembered serial can be out of date: if the ring was removed or displaced, its use leads to an error or a miss. The
/// ring is then looked up again.
package final class NamespaceRings: Sendable {
    /// The two rings that a write needs.
    package struct Pair: Equatable {
        package let items: Keyring
        package let leases: Keyring
    }

    /// The name of the leases' ring.
    package static let leasesName = "skr-leases"

    package let scope: SecretScope
    /// The users of the items: possessors of the ring, or the owner in all sessions.
    let access: SecretScope.ItemAccess
    /// The permissions of the store's keys and rings.
    let permissions: KeyPermissions
    package let namespace: String
    let itemsName: String
    /// The prefix of the names of this namespace's leases.
    ///
    /// No other namespace has the same prefix, because an encoded namespace has no colon.
    let leasePrefix: String
    /// The name of the update flag.
    ///
    /// The flag is a key and leases are keyrings, so no lease conflicts with it, whatever the lease's name is.
    let flagName: String

    private let anchorSerial: Atomic<Int32>
    private let itemsSerial = Atomic<Int32>(0)
    private let leasesSerial = Atomic<Int32>(0)
    /// The serial of the leases' ring in which the update flag was seen.
    let flaggedSerial = Atomic<Int32>(0)
    private let processID: Atomic<Int32>
    let ownership = SessionOwnership()
    /// The sorted serials of those members of the items' ring that are not items, as the last listing found them.
    ///
    /// A key's name never changes, so the next listing doesn't look at them: each companion would take as long as an
    /// item. (A new item that gets the serial of a companion which was removed after the last listing is never listed.
    /// The kernel chooses serials at random, so this happens to one new item in two billion for each such companion.)
    let otherMembers = LockBox<[Int32]>([])
    /// The items' ring that was passed in, if only that ring is looked at.
    private let givenItems: Keyring?

    package convenience init(scope: SecretScope, namespace: String) throws(SecretStoreError) {
        let name = Self.itemsName(of: namespace)
        guard !namespace.isEmpty else { throw SecretStoreError(.invalidName(.empty, of: .namespace)) }
        let limit = 255
        guard name.utf8.count <= limit else {
            throw SecretStoreError(.invalidName(.tooLong(bytes: name.utf8.count, limit: limit), of: .namespace))
        }
        self.init(namespace, of: scope, under: try scope.resolve(), givenItems: nil)
    }

    /// Creates a namespace that only looks at the items in this ring.
    ///
    /// It looks for nothing under the anchor, which does not have to allow a search.
    convenience init(
        lookingAt items: Keyring, namespace: String, under anchor: Keyring, access: SecretScope.ItemAccess
    ) {
        let scope = SecretScope.keyring(anchor.serial, isOpenToOwner: access == .owner)
        self.init(namespace, of: scope, under: anchor, givenItems: items)
    }

    private init(_ namespace: String, of scope: SecretScope, under anchor: Keyring, givenItems: Keyring?) {
        self.scope = scope
        (self.access, self.permissions) = (scope.access, scope.permissions)
        self.namespace = namespace
        self.itemsName = Self.itemsName(of: namespace)
        self.leasePrefix = PercentCoding.encode(namespace) + ":"
        self.flagName = "updates:" + leasePrefix
        self.anchorSerial = Atomic(anchor.serial.rawValue)
        self.processID = Atomic(getpid())
        self.givenItems = givenItems
    }

    deinit { RingMaking.drop(of: self) }

    /// Returns whether the kernel or the store gives such a name to keyrings.
    ///
    /// The names of items' rings and of leases have a colon.
    package static func isReserved(_ name: String) -> Bool {
        let prefixes = [".", "_", leasesName] + TemporaryKeyring.Purpose.allCases.map(\.rawValue)
        return name.contains(":") || prefixes.contains(where: name.hasPrefix)
    }

    static func itemsName(of namespace: String) -> String {
        "skr:" + PercentCoding.encode(namespace)
    }

    /// Returns the namespace whose items are in a ring with this name; `nil` for any other name.
    static func namespace(ofItemsName name: String) -> String? {
        let start = "skr:"
        guard name.utf8.starts(with: start.utf8), name.utf8.count > start.utf8.count else { return nil }
        return PercentCoding.decode(Substring(name.utf8.dropFirst(start.utf8.count)))
    }

    /// The keyring that links both rings.
    package var anchor: Keyring { Keyring(KeySerial(rawValue: anchorSerial.load(ordering: .relaxed))) }

    /// Returns the items' ring, remembered or looked up; `nil` if nothing was ever stored.
    package func items() throws(SecretStoreError) -> Keyring? {
        if let known = knownItems { return known }
        return try findItems()
    }

    /// The items' ring, if it is remembered.
    var knownItems: Keyring? { Self.ring(itemsSerial) }

    /// Returns the leases' ring, remembered or looked up; `nil` if nothing was ever stored.
    func leasesRing() throws(SecretStoreError) -> Keyring? {
        if let known = Self.ring(leasesSerial) { return known }
        return try findLeasesRing()
    }

    /// Looks up the leases' ring again, after an error.
    func findLeasesRing() throws(SecretStoreError) -> Keyring? {
        guard givenItems == nil else { return nil }
        let found = try inAnchor { anchor throws(SecretStoreError) in try self.find(Self.leasesName, in: anchor) }
        leasesSerial.store(found?.serial.rawValue ?? 0, ordering: .relaxed)
        return found
    }

    /// Returns both rings, remembered, looked up or made.
    func pair(_ effort: Effort) throws(SecretStoreError) -> Pair {
        if let items = Self.ring(itemsSerial), let leases = Self.ring(leasesSerial) {
            return Pair(items: items, leases: leases)
        }
        return try findOrMakePair(effort)
    }

    /// Looks up the items' ring again, after a miss or an error.
    package func findItems() throws(SecretStoreError) -> Keyring? {
        if let givenItems { return givenItems }
        let found = try inAnchor { anchor throws(SecretStoreError) in try self.find(self.itemsName, in: anchor) }
        itemsSerial.store(found?.serial.rawValue ?? 0, ordering: .relaxed)
        return found
    }

    /// Looks up both rings again, and makes those that are absent.
    func findOrMakePair(_ effort: Effort) throws(SecretStoreError) -> Pair {
        let pair = try inAnchor { anchor throws(SecretStoreError) in
            Pair(
                items: try self.findOrMake(self.itemsName, in: anchor, effort),
                leases: try self.findOrMake(Self.leasesName, in: anchor, effort)
            )
        }
        itemsSerial.store(pair.items.serial.rawValue, ordering: .relaxed)
        leasesSerial.store(pair.leases.serial.rawValue, ordering: .relaxed)
        return pair
    }

    /// Returns whether others can find what was just written to this items' ring.
    ///
    /// If only possessors can write to the ring, the write itself shows that the anchor still links it. If the whole
    /// user can write to it, it accepts writes even after it was removed, and they would be lost.
    func isStillLinked(afterWriteTo ring: Keyring) throws(SecretStoreError) -> Bool {
        if access == .possessor { return true }
        return try inAnchor { anchor throws(SecretStoreError) in
            try inStoreTerms { () throws(KeyringError) in try anchor.links(Key(ring)) }
        }
    }

    private static func ring(_ serial: borrowing Atomic<Int32>) -> Keyring? {
        let number = serial.load(ordering: .relaxed)
        return number == 0 ? nil : Keyring(KeySerial(rawValue: number))
    }

    /// Runs `body` with the anchor.
    ///
    /// If that fails in a forked child, whose credentials may have changed, `body` runs again with the child's
    /// own anchor.
    private func inAnchor<Result>(
        _ body: (Keyring) throws(SecretStoreError) -> Result
    ) throws(SecretStoreError) -> Result {
        // A thread can use the persistent keyring only after it has linked it into its own keyring.
        if scope == .persistent { anchorSerial.store(try scope.resolve().serial.rawValue, ordering: .relaxed) }
        do throws(SecretStoreError) {
            return try body(anchor)
        } catch {
            guard processID.exchange(getpid(), ordering: .relaxed) != getpid() else { throw error }
            anchorSerial.store(try scope.resolve().serial.rawValue, ordering: .relaxed)
            return try body(anchor)
        }
    }
}

extension KernelBackend {
    /// Runs a write on the namespace's rings, and makes sure that others can find what it wrote.
    ///
    /// If the rings turn out to be gone, they are looked up or made again, and the write is repeated.
    ///
    /// - Throws: ``SecretStoreError`` with `contended` if the write is blocked.
    func withPair<Output>(
        for item: ItemIdentity, _ effort: Effort,
        _ write: (NamespaceRings.Pair) throws(KeyringError) -> Step<Output>
    ) throws(SecretStoreError) -> Output {
        var pair = try rings.pair(effort)
        var refusals = 0
        for round in 1...SecondLooks.replacedRings {
            let step: Step<Output>
            do throws(KeyringError) {
                step = try write(pair)
            } catch {
                switch error.code {
                case _ where error.isKeyGoneOrRefused:
                    let current = try rings.findOrMakePair(effort)
                    if current == pair, error.code == .accessDenied {
                        // As with a search, a refusal counts only if it lasts.
                        refusals += 1
                        guard refusals < SecondLooks.refusedWrites else { throw SecretStoreError(error, item: item) }
                        SecondLooks.afterRefusedWrite()
                    }
                    pair = current
                    continue
                case .notPermitted where round < SecondLooks.replacedRings:
                    pair = try pairInPlaceOfRestricted(pair.items, error, item: item, effort)
                    continue
                default: throw SecretStoreError(error, item: item)
                }
            }
            switch step {
            case .blocked(let reason): throw SecretStoreError(.blocked(reason), item: item)
            case .done(let output):
                if try rings.isStillLinked(afterWriteTo: pair.items) { return output }
            }
            pair = try rings.findOrMakePair(effort)
        }
        throw SecretStoreError(.unreadableAfterWrite, item: item)
    }

    /// Returns the rings to use instead of an items' ring that takes no more keys.
    ///
    /// Another process is removing that ring, or died while it did so (``NamespaceRings/finishRemoval(_:_:)``).
    /// Otherwise somebody restricted the ring on purpose, and this throws the error.
    func pairInPlaceOfRestricted(
        _ items: Keyring, _ error: KeyringError, item: ItemIdentity, _ effort: Effort
    ) throws(SecretStoreError) -> NamespaceRings.Pair {
        SecondLooks.afterRestrictedRing()
        let current = try rings.findOrMakePair(effort)
        guard current.items == items else { return current }
        let isFinished = try inStoreTerms(item) { () throws(KeyringError) in try rings.finishRemoval(items, effort) }
        guard isFinished else { throw SecretStoreError(error, item: item) }
        let pair = try rings.findOrMakePair(effort)
        // Another process is about to replace the ring.
        if pair.items == items { throw SecretStoreError(.blocked(.itemLease), item: item) }
        return pair
    }
}

extension NamespaceRings {
    /// Refuses to store in a session that another user owns, unless the scope allows it.
    ///
    /// Once the session is known to be the user's own, the check costs nothing until the process forks, because a child
    /// might have become another user.
    ///
    /// - Throws: ``SecretStoreError`` with `foreignSession`, or the error of looking at the session.
    func requireOwnSession() throws(SecretStoreError) {
        guard scope == .session else { return }
        let generation = Forks.generation
        guard ownership.ownIn.load(ordering: .relaxed) != Int64(generation) else { return }
        let isForked = generation != ownership.resolvedIn
        do throws(SecretStoreError) {
            try anchor.requireOwn()
        } catch {
            // A child with its own session can't reach the session in which the store was created.
            guard isForked, error.code == .forbidden || error.code == .notFound else { throw error }
        }
        // The session that a child's writes fall back to.
        if isForked { try scope.resolve().requireOwn() }
        ownership.ownIn.store(Int64(generation), ordering: .relaxed)
    }
}

/// The values of ``Forks/generation`` when the session was resolved and checked.
struct SessionOwnership: ~Copyable, Sendable {
    let resolvedIn = Forks.generation
    /// The value when the session was found to be the user's own; -1 if it wasn't yet.
    let ownIn = Atomic<Int64>(-1)
}
