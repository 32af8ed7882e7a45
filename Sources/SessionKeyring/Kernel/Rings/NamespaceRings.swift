import Glibc
package import Keyutils
import Synchronization

/// The two keyrings of a namespace, found under the scope's anchor and remembered by serial: one for the items, and one,
/// shared by all namespaces of the anchor, for leases.
///
/// The memory is a few numbers, each replaced whole, so no lock is held on a get. It is never trusted where it matters: a
/// ring that was removed or displaced shows as an error or a miss, and is then looked up again.
package final class NamespaceRings: Sendable {
    /// The pair that a write needs.
    package struct Pair: Equatable {
        package let items: Keyring
        package let leases: Keyring
    }

    /// Not that of versions whose leases were keys: those and ours don't exclude each other.
    package static let leasesName = "skr-leases-2"

    package let scope: SecretScope
    package let namespace: String
    let itemsName: String
    /// What the names of the namespace's leases begin with, and no other's: an encoded namespace has no colon.
    let leasePrefix: String
    /// The update flag's: a key, so no lease is in its way, whatever its name.
    let flagName: String

    private let anchorSerial: Atomic<Int32>
    private let itemsSerial = Atomic<Int32>(0)
    private let leasesSerial = Atomic<Int32>(0)
    /// The leases' ring in which the update flag was seen.
    let flaggedSerial = Atomic<Int32>(0)
    private let crowded = Atomic<Bool>(false)
    private let processID: Atomic<Int32>
    let ownership = SessionOwnership()
    /// The items' ring that was handed over, where that is all there is to look at.
    private let givenItems: Keyring?

    package init(scope: SecretScope, namespace: String) throws(SecretStoreError) {
        let name = Self.itemsName(of: namespace)
        guard !namespace.isEmpty else { throw SecretStoreError(.invalidName(.empty, of: .namespace)) }
        let limit = 255
        guard name.utf8.count <= limit else {
            throw SecretStoreError(.invalidName(.tooLong(bytes: name.utf8.count, limit: limit), of: .namespace))
        }
        self.scope = scope
        self.namespace = namespace
        self.itemsName = name
        self.leasePrefix = PercentCoding.encode(namespace) + ":"
        self.flagName = "updates:" + leasePrefix
        self.anchorSerial = Atomic(try scope.resolve().serial.rawValue)
        self.processID = Atomic(getpid())
        self.givenItems = nil
    }

    /// A namespace whose items are in this ring, only to be looked at: nothing is looked for under the anchor, which need not
    /// admit a search.
    init(lookingAt items: Keyring, namespace: String, under anchor: Keyring, access: SecretScope.ItemAccess) {
        self.scope = .keyring(anchor.serial, isOpenToOwner: access == .owner)
        self.namespace = namespace
        self.itemsName = Self.itemsName(of: namespace)
        self.leasePrefix = PercentCoding.encode(namespace) + ":"
        self.flagName = "updates:" + leasePrefix
        self.anchorSerial = Atomic(anchor.serial.rawValue)
        self.processID = Atomic(getpid())
        self.givenItems = items
    }

    static func itemsName(of namespace: String) -> String {
        "skr:" + PercentCoding.encode(namespace)
    }

    /// The namespace whose items are in a ring of that name; `nil` for any other name.
    static func namespace(ofItemsName name: String) -> String? {
        let start = "skr:"
        guard name.utf8.starts(with: start.utf8), name.utf8.count > start.utf8.count else { return nil }
        return PercentCoding.decode(Substring(name.utf8.dropFirst(start.utf8.count)))
    }

    /// The keyring on which both hang.
    package var anchor: Keyring { Keyring(KeySerial(rawValue: anchorSerial.load(ordering: .relaxed))) }

    /// The items' ring, remembered or looked up; `nil` where nothing was ever stored.
    package func items() throws(SecretStoreError) -> Keyring? {
        if let known = knownItems { return known }
        return try findItems()
    }

    /// Whether the anchor linked so many keys, when it was last looked at, that two more calls for each read take less time
    /// than the kernel's search among half of them; only a matter of speed.
    var isCrowded: Bool { crowded.load(ordering: .relaxed) }

    /// Notes how many keys the anchor links.
    func rememberSize(_ size: Int) { crowded.store(size >= 32, ordering: .relaxed) }

    /// The items' ring, if it is remembered.
    var knownItems: Keyring? { Self.ring(itemsSerial) }

    /// The leases' ring, remembered or looked up; `nil` where nothing was ever stored.
    func leasesRing() throws(SecretStoreError) -> Keyring? {
        if let known = Self.ring(leasesSerial) { return known }
        return try findLeasesRing()
    }

    /// Looks the leases' ring up anew, after an error.
    func findLeasesRing() throws(SecretStoreError) -> Keyring? {
        guard givenItems == nil else { return nil }
        let found = try inAnchor { anchor throws(SecretStoreError) in try self.find(Self.leasesName, in: anchor) }
        leasesSerial.store(found?.serial.rawValue ?? 0, ordering: .relaxed)
        return found
    }

    /// Both rings, remembered, looked up or made.
    func pair(_ attempt: inout BackendAttempt) throws(SecretStoreError) -> Pair {
        if let items = Self.ring(itemsSerial), let leases = Self.ring(leasesSerial) {
            return Pair(items: items, leases: leases)
        }
        return try findOrMakePair(&attempt)
    }

    /// Looks the items' ring up anew, after a miss or an error.
    package func findItems() throws(SecretStoreError) -> Keyring? {
        if let givenItems { return givenItems }
        let found = try inAnchor { anchor throws(SecretStoreError) in try self.find(self.itemsName, in: anchor) }
        itemsSerial.store(found?.serial.rawValue ?? 0, ordering: .relaxed)
        return found
    }

    /// Looks both rings up anew, making what is not there.
    func findOrMakePair(_ attempt: inout BackendAttempt) throws(SecretStoreError) -> Pair {
        let pair = try inAnchor { anchor throws(SecretStoreError) in
            Pair(
                items: try self.findOrMake(self.itemsName, in: anchor, &attempt),
                leases: try self.findOrMake(Self.leasesName, in: anchor, &attempt)
            )
        }
        itemsSerial.store(pair.items.serial.rawValue, ordering: .relaxed)
        leasesSerial.store(pair.leases.serial.rawValue, ordering: .relaxed)
        return pair
    }

    /// Whether the anchor still links this ring, so that others will find what is in it.
    package func isLinked(_ ring: Keyring) throws(SecretStoreError) -> Bool {
        try inAnchor { anchor throws(SecretStoreError) in
            try inStoreTerms { () throws(KeyringError) in try anchor.links(Key(ring)) }
        }
    }

    private static func ring(_ serial: borrowing Atomic<Int32>) -> Keyring? {
        let number = serial.load(ordering: .relaxed)
        return number == 0 ? nil : Keyring(KeySerial(rawValue: number))
    }

    /// Runs `body` with the anchor; in a forked child whose credentials have changed, with the child's own.
    private func inAnchor<Result>(
        _ body: (Keyring) throws(SecretStoreError) -> Result
    ) throws(SecretStoreError) -> Result {
        // The persistent keyring is reached only by a thread that has linked it.
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
    /// Runs a write on the namespace's rings, looking them up or making them again if they turn out to be gone, and makes
    /// sure that what was written can be found.
    ///
    /// - Parameter write: returns false if the attempt is blocked, and notes the reason.
    /// - Throws: ``SecretStoreError`` with `contended` if the attempt is blocked.
    func withPair(
        for item: ItemIdentity, _ attempt: inout BackendAttempt,
        _ write: (NamespaceRings.Pair, inout BackendAttempt) throws(KeyringError) -> Bool
    ) throws(SecretStoreError) {
        var pair = try rings.pair(&attempt)
        var refusals = 0
        for round in 1...SecondLooks.replacedRings {
            let isThrough: Bool
            do throws(KeyringError) {
                isThrough = try write(pair, &attempt)
            } catch {
                switch error.code {
                case _ where error.isKeyGoneOrRefused:
                    let current = try rings.findOrMakePair(&attempt)
                    if current == pair, error.code == .accessDenied {
                        // As with a search, a refusal counts only if it lasts.
                        refusals += 1
                        guard refusals < SecondLooks.refusedWrites else { throw SecretStoreError(error, item: item) }
                        SecondLooks.afterRefusedWrite()
                    }
                    pair = current
                    continue
                case .notPermitted where round < SecondLooks.replacedRings:
                    pair = try pairInPlaceOfRestricted(pair.items, error, item: item, &attempt)
                    continue
                default: throw SecretStoreError(error, item: item)
                }
            }
            guard isThrough else { throw attempt.blocked(item) }
            // Writing to a ring that only its possessor may write to shows that it is still linked. One that the whole
            // user may write to takes writes even after it was removed, and they would be lost.
            if rings.scope.access == .possessor { return }
            if try rings.isLinked(pair.items) { return }
            pair = try rings.findOrMakePair(&attempt)
        }
        throw SecretStoreError(.unreadableAfterWrite, item: item)
    }

    /// A ring that takes nothing is one that another process is removing, or died while it did; any other was restricted
    /// by somebody who meant it.
    func pairInPlaceOfRestricted(
        _ items: Keyring, _ error: KeyringError, item: ItemIdentity, _ attempt: inout BackendAttempt
    ) throws(SecretStoreError) -> NamespaceRings.Pair {
        SecondLooks.afterRestrictedRing()
        let current = try rings.findOrMakePair(&attempt)
        guard current.items == items else { return current }
        do throws(KeyringError) {
            guard try rings.finishRemoval(items, &attempt) else { throw error }
        } catch {
            throw SecretStoreError(error, item: item)
        }
        let pair = try rings.findOrMakePair(&attempt)
        // Somebody else is about to replace it.
        if pair.items == items { throw attempt.blocked(item) }
        return pair
    }
}
