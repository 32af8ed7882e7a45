import Glibc
import Keyutils
import SessionKeyring

/// Checks the keyrings after the workers of a run have ended.
struct PostRunChecks {
    let plan: StressPlan
    let ring: Keyring
    let store: SecretStore
    /// Whether a Secret Service keeps texts about the items.
    let hasTexts: Bool

    /// Checks that every item has a timeout.
    func addTimeouts(to results: inout CheckResults) {
        let name = "every item has its timeout"
        do {
            // The hostile neighbor's own items can have any timeout.
            let items = try store.items().filter { StressItems.number(of: $0.item) != nil }
            let eternal = items.filter { $0.expiry == .never }
            if eternal.isEmpty, let unknown = items.first(where: { $0.expiry == .unknown }) {
                return results.add(
                    CheckOutcome(
                        name: name, verdict: .skipped, detail: "/proc/keys does not show \(unknown.item)",
                        looked: items.count, subject: "items"))
            }
            results.add(
                name, looked: items.count, "items",
                failure: eternal.isEmpty ? nil : "\(eternal.count) items never expire",
                evidence: eternal.prefix(20).map { "\($0.item)" })
        } catch {
            results.add(name, looked: 0, "items", failure: "the items can't be listed: \(error)")
        }
    }

    /// Checks that only items remain, once the leases of killed holders have ended.
    func addOrphans(to results: inout CheckResults) {
        let name = "only items are left"
        do {
            // If nobody can see that a holder is dead, its lease ends after two seconds.
            if plan.killEvery != nil { usleep(2_500_000) }
            _ = try store.items()
            var looked = 0
            let orphans = try orphans(&looked)
            results.add(
                name, looked: looked, "keys", failure: orphans.isEmpty ? nil : "\(orphans.count) other keys are left",
                evidence: orphans)
        } catch {
            results.add(name, looked: 0, "keys", failure: "the keyrings can't be read: \(error)")
        }
    }

    private func orphans(_ looked: inout Int) throws -> [String] {
        var orphans: [String] = []
        for serial in try ring.members() {
            guard let name = try Self.description(of: Key(serial))?.name else { continue }
            for member in try Keyring(serial).members() {
                looked += 1
                guard let key = try Self.description(of: Key(member)) else { continue }
                if !isExpected(key.name, in: name) { orphans.append("\(key.type) \(key.name) in \(name)") }
            }
        }
        return orphans
    }

    /// The description of a key; `nil` for a key that has expired or that the kernel is collecting.
    private static func description(of key: Key) throws(KeyringError) -> KeyDescription? {
        do throws(KeyringError) {
            return try key.describe()
        } catch {
            guard [.expired, .revoked, .notFound].contains(error.code) else { throw error }
            return nil
        }
    }

    private func isExpected(_ key: String, in ring: String) -> Bool {
        // SquattedCalls stores items under the names that the hostile neighbor takes.
        if plan.isHostile, key.contains(":\(HostileNeighbor.name):") { return true }
        if ring == NamespaceRings.leasesName { return key.hasPrefix("updates:") }
        let item = hasTexts ? ItemIdentity(ofHidden: key) : nil
        return (item ?? ItemIdentity(keyDescription: key)).flatMap(StressItems.number) != nil
    }
}
