import CStoreFloor
import Glibc
import Keyutils
import SessionKeyring
import SessionKeyringTesting

/// A scratch keyring with items in it, and the same work on it in Swift and in C.
///
/// Both sides use the same rings and the same names, because the kernel's own cost depends on both.
final class Workbench {
    static let timeout = Duration.seconds(300)

    let store: SecretStore
    let items: [ItemIdentity]
    let payload: [UInt8]
    let scratch: ScratchKeyring
    /// The keyring that the items are in.
    let ring: Keyring
    let floor: Floor
    private let keysAtFirst: Int

    var item: ItemIdentity { items[0] }

    convenience init(size: Int, itemCount: Int = 1) throws {
        try self.init(payload: (0..<size).map { UInt8(truncatingIfNeeded: $0 % 251 + 1) }, itemCount: itemCount)
    }

    init(payload: [UInt8], itemCount: Int = 1) throws {
        self.payload = payload
        scratch = try ScratchKeyring()
        store = try scratch.store()
        items = (0..<itemCount).map { .password(service: "benchmark-\($0)", account: "alice") }
        for item in items { try store.set(payload, for: item, timeout: Self.timeout) }
        floor = try Floor(anchor: scratch.keyring, items: items)
        ring = Keyring(KeySerial(rawValue: floor.place.items))
        keysAtFirst = try KeyQuota.current().keys
    }

    /// Both sides, called over and over.
    func contest(_ floor: @escaping () throws -> Void, _ work: @escaping () throws -> Void) -> Contest {
        Contest(floor: Contest.repeating(floor), work: Contest.repeating(work), settle: settle)
    }

    /// Waits until the kernel has collected what earlier writes displaced.
    ///
    /// It does so late and in the background, and would make whatever is measured next pay for what was measured before.
    func settle() throws {
        for _ in 0..<200 {
            if try KeyQuota.current().keys <= keysAtFirst { return }
            usleep(1_000)
        }
    }

    /// Puts all items where they were.
    func fill() throws {
        let outcome = payload.withUnsafeBytes { bytes in
            floor_fill(floor.place.items, floor.items, items.count, bytes.baseAddress, bytes.count)
        }
        guard outcome == 0 else { throw FloorFailure("fill") }
    }
}

/// The names and numbers that the C side works with.
final class Floor {
    var place: floor_place
    let items: UnsafePointer<floor_item>
    private var texts: [UnsafeMutablePointer<CChar>] = []

    init(anchor: Keyring, items identities: [ItemIdentity]) throws {
        var texts: [UnsafeMutablePointer<CChar>] = []
        func text(_ string: String) -> UnsafePointer<CChar> {
            guard let copy = strdup(string) else { fatalError("out of memory") }
            texts.append(copy)
            return UnsafePointer(copy)
        }
        place = floor_place(
            anchor: anchor.serial.rawValue,
            items: try anchor.search(.keyring, "skr:default").serial.rawValue,
            leases: try anchor.search(.keyring, "skr-leases-2").serial.rawValue,
            items_name: text("skr:default"), leases_name: text("skr-leases-2"), flag: text("updates:default:")
        )
        let items = UnsafeMutablePointer<floor_item>.allocate(capacity: identities.count)
        for (number, identity) in identities.enumerated() {
            let name = identity.keyDescription
            (items + number).initialize(to: floor_item(name: text(name)))
        }
        self.items = UnsafePointer(items)
        self.texts = texts
    }

    deinit {
        for text in texts { free(text) }
        items.deallocate()
    }
}

/// The C floor did not do what it is measured for.
struct FloorFailure: Error, CustomStringConvertible {
    private let operation: String
    private let code: CInt

    init(_ operation: String) {
        self.operation = operation
        code = errno
    }

    var description: String { "C floor \(operation) failed: errno \(code)" }
}
