import CFloor
import Glibc
import Keyutils
import SessionKeyring
import SessionKeyringTesting

/// A scratch keyring with one item in it, and the same work on it in Swift and in C.
///
/// Both sides use the same rings and the same names, because the kernel's own cost depends on both.
final class Workbench {
    static let timeout = Duration.seconds(300)

    let store: SecretStore
    let item = ItemIdentity.password(service: "benchmark", account: "alice")
    let secret: SecretBytes
    let items: Keyring

    private let scratch: ScratchKeyring
    private let payload: [UInt8]
    private let itemName: ContiguousArray<CChar>
    private let leases: Keyring
    private let markName: ContiguousArray<CChar>
    private let leaseName: ContiguousArray<CChar>
    private let keysAtFirst: Int

    init(size: Int) throws {
        scratch = try ScratchKeyring()
        payload = (0..<size).map { UInt8(truncatingIfNeeded: $0 % 251 + 1) }
        secret = SecretBytes(copying: payload)
        store = try scratch.store()
        try store.set(secret, for: item, timeout: Self.timeout)
        items = Keyring(try scratch.keyring.search(.keyring, "skr:default").serial)
        itemName = ContiguousArray(item.keyDescription.utf8CString)
        leases = Keyring(try scratch.keyring.search(.keyring, "skr-leases").serial)
        markName = ContiguousArray("updates:default/".utf8CString)
        leaseName = ContiguousArray("default/lease:floor".utf8CString)
        keysAtFirst = try KeyQuota.current().keys
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

    func floorGet() throws {
        let length = itemName.withUnsafeBufferPointer { name in
            floor_get(items.serial.rawValue, name.baseAddress)
        }
        guard length == payload.count else { throw FloorFailure(operation: "get", code: errno) }
    }

    func floorSet() throws {
        let outcome = itemName.withUnsafeBufferPointer { name in
            payload.withUnsafeBytes { bytes in
                markName.withUnsafeBufferPointer { mark in
                    floor_set(
                        items.serial.rawValue, floor_mark(leases: leases.serial.rawValue, name: mark.baseAddress),
                        name.baseAddress, bytes.baseAddress, bytes.count, UInt32(Self.timeout.components.seconds)
                    )
                }
            }
        }
        guard outcome == 0 else { throw FloorFailure(operation: "set", code: errno) }
    }

    func floorLease() throws {
        let outcome = leaseName.withUnsafeBufferPointer { name in
            floor_lease(leases.serial.rawValue, name.baseAddress)
        }
        guard outcome == 0 else { throw FloorFailure(operation: "lease", code: errno) }
    }
}

/// The C floor did not do what it is measured for.
struct FloorFailure: Error, CustomStringConvertible {
    let operation: String
    let code: CInt

    var description: String { "C floor \(operation) failed: errno \(code)" }
}
