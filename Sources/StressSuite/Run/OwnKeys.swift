import Keyutils

/// The keys that a run makes, as far as they can be seen from its main thread.
///
/// Other programs of the same user store keys during a run, and most of them are invisible. So a key counts as the
/// run's own only if it was seen in the run's keyring, or if it is new in a keyring of this thread or process.
struct OwnKeys {
    /// The keyring of the run; `nil` before it exists.
    var ring: Keyring?
    private var serials: Set<KeySerial> = []
    /// The keys that were in the keyrings of this thread and process before the run.
    private let former: Set<KeySerial>

    /// The most keys that are remembered.
    private static let most = 20_000

    init() {
        former = Set(Self.ownRings.flatMap { (try? $0.members()) ?? [] })
    }

    /// Remembers the keys that are now in the run's keyring, and in the keyrings in it.
    mutating func look() {
        guard let ring, serials.count < Self.most, let members = try? ring.members() else { return }
        serials.formUnion([ring.serial] + members)
        for serial in members where (try? Key(serial).describe())?.type == .keyring {
            serials.formUnion(((try? Keyring(serial).members()) ?? []).prefix(Self.most))
        }
    }

    /// Returns the remembered keys that still exist, and those that are new in the keyrings of this thread and process.
    ///
    /// A key without links doesn't exist any more, even while the kernel still counts it.
    func left() -> [String] {
        let new = Self.ownRings.flatMap { (try? $0.members()) ?? [] }.filter { !former.contains($0) }
        return serials.union(new).compactMap { serial in
            do throws(KeyringError) {
                let key = try Key(serial).describe()
                return "\(key.type) \(key.name)"
            } catch {
                return error.code == .notFound ? nil : "key \(serial)"
            }
        }.sorted()
    }

    private static var ownRings: [Keyring] {
        [KeySerial.threadKeyring, .processKeyring].compactMap { try? Keyring.resolve($0) }
    }
}
