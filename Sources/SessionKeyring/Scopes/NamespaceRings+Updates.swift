import Keyutils
import Synchronization

/// The mark of a namespace in which items are updated.
///
/// An update loses no write only if all writers take the item's lease, and that costs a plain write three times its own
/// work. So they do it only where a mark in the leases' ring says so. It is set before the first update reads anything, and
/// stays. A plain writer looks before its write, and again behind it: where the mark came in between, an update may have
/// read what was there before, so the write is made sure of under the lease.
extension NamespaceRings {
    private var markName: String { leasePrefix + "updates" }

    /// Whether items of the namespace are updated.
    func haveUpdates(in leases: Keyring) throws(KeyringError) -> Bool {
        if markedSerial.load(ordering: .relaxed) == leases.serial.rawValue { return true }
        do throws(KeyringError) {
            _ = try leases.search(.user, markName)
        } catch {
            guard error.code == .notFound else { throw error }
            return false
        }
        markedSerial.store(leases.serial.rawValue, ordering: .relaxed)
        return true
    }

    /// The leases' ring of a namespace in which items are updated; `nil` where none are.
    func leasesIfUpdated() throws(SecretStoreError) -> Keyring? {
        guard let known = try leases() else { return nil }
        do throws(KeyringError) {
            return try haveUpdates(in: known) ? known : nil
        } catch {
            guard error.isAboutDeadKey, let found = try findLeases(), found != known else {
                // A ring that is gone holds no mark.
                if error.isAboutDeadKey, try findLeases() == nil { return nil }
                throw SecretStoreError(error)
            }
            do throws(KeyringError) {
                return try haveUpdates(in: found) ? found : nil
            } catch {
                throw SecretStoreError(error)
            }
        }
    }

    /// Tells all writers from now on that items of the namespace are updated.
    func announceUpdates(in leases: Keyring) throws(KeyringError) {
        if try haveUpdates(in: leases) { return }
        let one: InlineArray<1, UInt8> = [UInt8(ascii: "1")]
        let mark = try unsafe Staging.stage(
            .user, markName, payload: one.span.bytes, permissions: scope.permissions, timeout: nil)
        do throws(KeyringError) {
            try Keyring.thread.move(mark, to: leases)
        } catch {
            Staging.discard(mark)
            throw error
        }
        markedSerial.store(leases.serial.rawValue, ordering: .relaxed)
    }
}
