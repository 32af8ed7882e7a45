import Glibc
import Keyutils
import SessionKeyring
import Threads

/// Constantly plants odd keys in the keyrings that the workers share.
///
/// It never removes or displaces the workers' keys, although the kernel would let it. The names of items and leases
/// that it takes for itself contain ``name``. Under the names that the workers use, it plants only keys that the
/// library must not be fooled by: keys of other types, and leases that nobody can hold.
struct HostileNeighbor: ~Copyable {
    static let name = "hostile"

    /// The most odd keys at a time; an ordinary user has room for 200 keys.
    private static let most = 40

    private let plan: StressPlan
    private let anchor: Keyring
    private var choices: Choices
    /// The removals of the planted keys, the oldest first.
    private var removals: [() -> Void] = []
    /// The record of a real lease, once the neighbor has seen one.
    private var record: [UInt8] = []
    private var count = 0

    init(plan: StressPlan, anchor: Keyring, round: Int) {
        self.plan = plan
        self.anchor = anchor
        choices = Choices(seed: plan.seed, stream: .max - 1 - UInt64(round))
    }

    /// Plants one more key in a random place, if possible.
    mutating func step() {
        do throws(KeyringError) {
            let rings = try Self.rings(in: anchor)
            switch choices.below(4) {
            case 0: try plantInAnchor()
            case 1: if let items = rings.items { try plantAmongItems(items) }
            default: if let leases = rings.leases { try plantLease(leases, victim: rings.items ?? anchor) }
            }
        } catch {
            // The name is taken, the quota is full, or the ring is gone. The next step tries something else.
        }
        while removals.count > Self.most { removals.removeFirst()() }
    }

    /// Removes all planted keys that still exist, and returns how many keys were planted.
    consuming func leave() -> Int {
        for remove in removals { remove() }
        return count
    }

    // MARK: - Where to plant

    static func rings(in anchor: Keyring) throws(KeyringError) -> (items: Keyring?, leases: Keyring?) {
        var rings: (items: Keyring?, leases: Keyring?)
        for serial in try anchor.members() {
            guard let key = try? Key(serial).describe(), key.type == .keyring else { continue }
            if key.name == "skr:" + StressItems.namespace { rings.items = Keyring(serial) }
            if key.name.hasPrefix("skr-lease") { rings.leases = Keyring(serial) }
        }
        return rings
    }

    private mutating func plantInAnchor() throws(KeyringError) {
        let making = "skr-making:skr:" + StressItems.namespace
        switch choices.below(4) {
        case 0: try plant("skr:\(Self.name)\(choices.below(4))", in: anchor)
        case 1: try plant("skr:" + StressItems.namespace, in: anchor, kinds: [.foreign])
        case 2: try plant(oddName, in: anchor)
        default: try plant(lie, making, in: anchor, victim: anchor)
        }
    }

    private mutating func plantAmongItems(_ ring: Keyring) throws(KeyringError) {
        let item = StressItems.identity(choices.below(plan.items))
        let squat = Self.squat(choices.below(4))
        switch choices.below(4) {
        case 0: try plant(item.keyDescription, in: ring, kinds: OddKey.ofOtherTypes, inner: squat)
        case 1: try plant("updates:\(Self.name)", in: ring, inner: squat)
        case 2: try plant(oddName, in: ring, inner: squat)
        default: try plant(squat.keyDescription, in: ring, inner: squat)
        }
    }

    private mutating func plantLease(_ ring: Keyring, victim: Keyring) throws(KeyringError) {
        try lookForRecord(in: ring)
        let item = StressItems.identity(choices.below(plan.items)).keyDescription
        let lease = "lease:counter%20\(choices.below(plan.items))"
        let squat = Self.squat(choices.below(4)).keyDescription
        switch choices.below(6) {
        case 0: try plant(lie, "\(StressItems.namespace)/\(lease)", in: ring, victim: victim)
        case 1: try plant("\(StressItems.namespace)/\(squat)", in: ring)
        case 2: try plant("updates:\(Self.name)", in: ring)
        case 3: try plant(oddName, in: ring)
        default: try plant(lie, "\(StressItems.namespace)/\(item)", in: ring, victim: victim)
        }
    }

    /// An item whose name the neighbor takes for itself.
    static func squat(_ number: Int) -> ItemIdentity { .password(service: name, account: String(number)) }

    private var oddName: String {
        mutating get {
            switch choices.below(5) {
            case 0: "\(Self.name)\nwith a line of its own"
            case 1: "\(Self.name):" + String(repeating: "x", count: 4_000)
            case 2: "password:\(Self.name)"
            case 3: "password:%\(Self.name):%zz"
            default: "fresh:password:\(Self.name):o\u{308}\u{1B}[31m"
            }
        }
    }

    // MARK: - What to plant

    private var lie: FalseLease {
        mutating get { FalseLease.allCases[choices.below(FalseLease.allCases.count)] }
    }

    private mutating func bytes(_ most: Int) -> [UInt8] {
        (0..<(1 + choices.below(most))).map { _ in UInt8(choices.below(256)) }
    }

    private mutating func plant(
        _ name: String, in ring: Keyring, kinds: [OddKey] = OddKey.allCases,
        inner: ItemIdentity = StressItems.identity(0)
    ) throws(KeyringError) {
        let kind = kinds[choices.below(kinds.count)]
        let key = try kind.make(name, bytes(100), inner: inner)
        try move(key, to: ring)
        removals.append { try? ring.unlink(key) }
        try kind.spoil(key)
    }

    private mutating func plant(
        _ lie: FalseLease, _ name: String, in ring: Keyring, victim: Keyring
    ) throws(KeyringError) {
        let key = try lie.make(name, record: falseRecord(), victim: victim, nonsense: bytes(200))
        try key.setPermissions([.possessorAll, .userAll])
        try move(key, to: ring)
        // By its serial, because another key can have the same name by then.
        removals.append { try? key.invalidate() }
    }

    private mutating func move(_ key: Key, to ring: Keyring) throws(KeyringError) {
        do throws(KeyringError) {
            try Keyring.thread.move(key, to: ring, exclusive: true)
        } catch {
            try? Keyring.thread.unlink(key)
            throw error
        }
        count += 1
    }

    // MARK: - Records

    private mutating func lookForRecord(in ring: Keyring) throws(KeyringError) {
        guard record.isEmpty else { return }
        for serial in try ring.members() {
            guard let by = try? Keyring(serial).search(.user, FalseLease.recordName) else { continue }
            let found = try? by.withPayload { payload in
                unsafe payload.withUnsafeBytes { bytes in unsafe Array(bytes) }
            }
            if let found { record = found }
        }
    }

    /// The record that the neighbor saw, with an impossible version, acquisition or deadline.
    private mutating func falseRecord() -> [UInt8] {
        var lie = record.count >= 48 ? record : bytes(100)
        guard lie.count >= 48 else { return lie }
        let word = [0, 5][choices.below(2)]
        let byte: UInt8 = choices.below(2) == 0 ? 0 : 0xFF
        for offset in 0..<8 { lie[8 * word + offset] = byte }
        return lie
    }
}
