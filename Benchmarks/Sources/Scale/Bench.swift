import CFloor
import Glibc
import Keyutils
import SessionKeyring

/// A namespace of this process's session with so many small items in it, and the same calls on it in Swift and in C.
final class Bench {
    /// Long enough for every part, and short enough if a machine is left alone with a killed one's keys.
    static let timeout = Duration.seconds(900)
    static let prefix = "password:scale:item-"

    let store: SecretStore
    let items: [ItemIdentity]
    let ring: Keyring
    private let session: Keyring
    private let leases: Keyring
    private let ringName: [CChar]
    private let names: [[CChar]]
    private let absent = ItemIdentity.password(service: "scale", account: "absent")
    private let secret = SecretBytes(copying: Array("not a secret: 24 bytes..".utf8))
    private var position = 0

    /// Fills a new namespace.
    init(namespace: String, count: Int) throws {
        session = try Keyring.resolve(.sessionKeyring)
        store = try SecretStore(namespace: namespace)
        items = (0..<count).map { number in
            let digits = String(number)
            return .password(
                service: "scale", account: "item-" + String(repeating: "0", count: 6 - digits.count) + digits)
        }
        for item in items { try store.set(secret, for: item, timeout: Self.timeout) }
        let name = "skr:" + namespace
        ring = Keyring(try session.search(.keyring, name).serial)
        leases = Keyring(try session.search(.keyring, "skr-leases-2").serial)
        ringName = Array(name.utf8CString)
        names = items.map { Array($0.keyDescription.utf8CString) }
    }

    func remove() throws {
        // The kernel counts a keyring's share of the quota in 16 bits. Clearing more than 16,383 links gives only the rest
        // back, and loses 65,536 bytes for every 16,384 until the machine is started again.
        if items.count > 16_383, floor_empty(ring.serial.rawValue) != 0 { throw Failure.ofCall("floor_empty") }
        try store.clear()
        try session.unlink(Key(ring))
    }

    func get() throws {
        guard try store.withBytes(of: items[next()], { bytes in bytes.byteCount }) == 24 else { throw Failure("get") }
    }

    func floorGet() throws {
        guard floor_get(ring.serial.rawValue, names[next()]) == 24 else { throw Failure.ofCall("floor_get") }
    }

    func miss() throws {
        guard try store.withBytes(of: absent, { _ in }) == nil else { throw Failure("miss") }
    }

    func floorMiss() throws {
        let outcome = floor_miss(session.serial.rawValue, ringName, ring.serial.rawValue, absent.keyDescription)
        guard outcome == 0 else { throw Failure.ofCall("floor_miss") }
    }

    func set() throws {
        try store.set(secret, for: items[next()], timeout: Self.timeout)
    }

    func floorSet() throws {
        let outcome = secret.withBytes { bytes in
            bytes.withUnsafeBytes { bytes in
                "updates:scale:".withCString { mark in
                    floor_set(
                        ring.serial.rawValue, floor_mark(leases: leases.serial.rawValue, name: mark), names[next()],
                        bytes.baseAddress, bytes.count, UInt32(Self.timeout.components.seconds))
                }
            }
        }
        guard outcome == 0 else { throw Failure.ofCall("floor_set") }
    }

    func identities() throws {
        guard try store.identities().count == items.count else { throw Failure("identities") }
    }

    func floorList() throws {
        guard floor_list(ring.serial.rawValue) == items.count else { throw Failure.ofCall("floor_list") }
    }

    func attributes() throws {
        guard try store.items().count == items.count else { throw Failure("items") }
    }

    func floorItems() throws {
        guard floor_items(ring.serial.rawValue) == items.count else { throw Failure.ofCall("floor_items") }
    }

    /// Puts items in the namespace, from C, which expire in that second.
    func fill(count: Int, deadline: time_t) throws {
        guard floor_fill(ring.serial.rawValue, Self.prefix, Int32(count), deadline) == 0 else {
            throw Failure.ofCall("floor_fill")
        }
    }

    /// The item after a step that hits all of them in an order that looks like none.
    private func next() -> Int {
        position = (position &+ 7_919) % items.count
        return position
    }
}
