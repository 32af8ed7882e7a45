import Baseline
import Foundation
import Keyutils
import SessionKeyring

/// A namespace of the session with items in it, and the same calls on it in Swift and in C.
///
/// Both sides use the same rings and the same names, because the kernel's own cost depends on both.
final class Workbench {
    /// The timeout of the items, which is longer than any measurement.
    static let timeout = Duration.seconds(900)

    let store: SecretStore
    /// The identities of the items, followed by the identity of an item that does not exist.
    let items: [ItemIdentity]
    let count: Int
    let payload: [UInt8]
    let secret: SecretBytes
    /// The keyring that the items are in.
    let ring: Keyring
    /// The data that the C side works with.
    let baseline: UnsafeMutablePointer<baseline>
    private let session: Keyring
    private let keysAtFirst: Int
    private var position = 0

    convenience init(namespace: String = "default", size: Int, count: Int = 1) throws {
        let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0 % 251 + 1) }
        try self.init(namespace: namespace, payload: payload, count: count)
    }

    /// Creates a namespace and fills it.
    init(namespace: String = "default", payload: [UInt8], count: Int = 1) throws {
        (self.payload, self.count) = (payload, count)
        session = try Keyring.resolve(.sessionKeyring)
        store = try SecretStore(namespace: namespace)
        secret = SecretBytes(copying: payload)
        items = (0...count).map(Self.item)
        for item in items.dropLast() { try store.set(secret, for: item, lasting: Lifetime(Self.timeout)) }
        let (ringName, leasesName) = ("skr:" + namespace, "skr-leases")
        ring = try session.search(keyring: ringName)
        let leases = try session.search(.keyring, leasesName).serial
        // The memory that C reads is never freed, because the process ends soon.
        let names = UnsafeMutableBufferPointer<UnsafePointer<CChar>?>.allocate(capacity: items.count)
        _ = names.initialize(from: items.map { UnsafePointer(strdup($0.keyDescription)) })
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: payload.count, alignment: 1)
        bytes.copyBytes(from: payload)
        baseline = .allocate(capacity: 1)
        baseline.initialize(
            to: .init(
                anchor: session.serial.rawValue, ring: ring.serial.rawValue, leases: leases.rawValue,
                ring_name: strdup(ringName), leases_name: strdup(leasesName),
                update_flag: strdup("updates:\(namespace):"), names: UnsafePointer(names.baseAddress), count: count,
                payload: bytes.baseAddress, size: payload.count, timeout: UInt32(Self.timeout.components.seconds)))
        keysAtFirst = try KeyQuota.current().keys
    }

    static func item(_ number: Int) -> ItemIdentity {
        .password(service: "benchmark", account: "item-" + String(String(1_000_000 + number).dropFirst()))
    }

    /// Clears the namespace, and removes it from the session.
    func remove() throws {
        try empty()
        try session.unlink(Key(ring))
    }

    func empty() throws {
        // The kernel counts a keyring's share of the quota in 16 bits. Clearing more than 16,383 links at a time gives
        // back only the rest, and loses 65,536 bytes for every 16,384 links until the machine restarts.
        if count > 16_383 { for serial in try ring.members() { try ring.unlink(Key(serial)) } }
        try store.clear()
    }

    /// Stores all items again from C.
    ///
    /// If a deadline is given, they expire in that second.
    func fill(deadline: time_t = 0) throws {
        guard baseline_fill(baseline, deadline) == 0 else { throw Failure.ofCall("baseline_fill") }
    }

    /// Stores all items again from Swift.
    func fillInSwift() throws {
        for item in items.dropLast() { try store.set(secret, for: item) }
    }

    /// Waits until the kernel has collected everything that earlier writes displaced, for 200 ms at most.
    func settle() {
        _ = try? Quota.settle(keys: keysAtFirst, within: .milliseconds(200))
    }

    /// The next item, in an order that looks random but includes every item.
    private func next() -> Int {
        position = (position &+ 7_919) % count
        return position
    }
}

extension Workbench {
    /// A call that can be measured.
    enum Call {
        case get, ownedGet, rawGet, miss, set, list, items, clear, lease
    }

    /// A contest that repeats the call on both sides, after a preparation that can be different in Swift.
    func contest(
        _ call: Call, after prepare: @escaping () throws -> Void = {},
        inSwift prepareInSwift: (() throws -> Void)? = nil
    ) -> Contest {
        let (inC, inSwift) = (inC(call), inSwift(call))
        return Contest(
            baseline: Contest.repeating(after: prepare) {
                guard try inC() else { throw Failure.ofCall("\(call) in C") }
            },
            work: Contest.repeating(after: prepareInSwift ?? prepare) {
                guard try inSwift() else { throw Failure("\(call) in Swift") }
            },
            settle: settle)
    }

    /// Makes the call once, in Swift.
    func work(_ call: Call) throws {
        guard try inSwift(call)() else { throw Failure("\(call) in Swift") }
    }

    /// Makes the call once, in C.
    func baseline(_ call: Call) throws {
        guard try inC(call)() else { throw Failure.ofCall("\(call) in C") }
    }

    /// The call in Swift, which returns whether it did its work.
    func inSwift(_ call: Call) -> () throws -> Bool {
        let (store, ring, count, size) = (store, ring, count, payload.count)
        return switch call {
        case .get: onItem { try store.withBytes(of: $0) { $0.byteCount } == size }
        case .ownedGet: onItem { try store.withBytes(of: $0) { SecretBytes(copying: $0).count } == size }
        case .rawGet: onItem { try ring.search(.user, $0.keyDescription).withPayload { $0.byteCount } == size }
        case .miss: { [items] in try store.withBytes(of: items[count]) { $0.byteCount } == nil }
        case .set: onItem { try store.set(self.secret, for: $0, lasting: Lifetime(Self.timeout)) == () }
        case .list: { try store.identities().count == count }
        case .items: { try store.items().count == count }
        case .clear: { try store.clear() == () }
        case .lease: { try store.withBlockingLease("store", lasting: .seconds(60), waiting: .zero) { _ in true } }
        }
    }

    private func inC(_ call: Call) -> () throws -> Bool {
        let (baseline, count, size) = (baseline, count, payload.count)
        return switch call {
        case .get, .ownedGet, .rawGet: { baseline_get(baseline, self.next()) == size }
        case .miss: { baseline_get(baseline, count) == 0 }
        case .set: { baseline_set(baseline, self.next()) == 0 }
        case .list: { baseline_list(baseline) == count }
        case .items: { baseline_items(baseline) == count }
        case .clear: { baseline_clear(baseline) == 0 }
        case .lease: { baseline_lease(baseline) == 0 }
        }
    }

    /// Calls `body` with one item after another.
    ///
    /// A single item is captured, because taking it from the array costs 40 ns.
    @inline(__always)
    private func onItem(_ body: @escaping (ItemIdentity) throws -> Bool) -> () throws -> Bool {
        if count == 1 { return { [item = items[0]] in try body(item) } }
        return { try body(self.items[self.next()]) }
    }
}
