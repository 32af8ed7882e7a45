import Glibc
import Keyutils
import Synchronization

/// The mark of a namespace in which items are updated.
///
/// An update loses no write only if all writers take the item's lease, and that costs a plain write three times its own
/// work. So they do it only where a mark in the leases' ring says so. It is set before the first update reads anything, and
/// stays. A plain writer looks before its write, and again behind it: where the mark came in between, an update may have
/// read what was there before, so the write is made sure of under the lease.
extension NamespaceRings {
    /// No lease's name begins like this, for a namespace has no colon in it when encoded.
    private var markName: String { "updates:" + leasePrefix }

    /// Whether items of the namespace are updated.
    func haveUpdates(in leases: Keyring) throws(KeyringError) -> Bool {
        if markedSerial.load(ordering: .relaxed) == leases.serial.rawValue { return true }
        do throws(KeyringError) {
            _ = try leases.search(.user, markName)
        } catch {
            switch error.code {
            case .notFound: return false
            // Somebody has removed it by hand, which ends no update.
            case .expired, .revoked: return true
            default: throw error
            }
        }
        markedSerial.store(leases.serial.rawValue, ordering: .relaxed)
        return true
    }

    /// The leases' ring of a namespace in which items are updated; `nil` where none are.
    ///
    /// Looked up anew: a ring that was removed holds no mark, and tells nothing.
    func leasesIfUpdated() throws(SecretStoreError) -> Keyring? {
        guard let ring = try findLeases() else { return nil }
        do throws(KeyringError) {
            return try haveUpdates(in: ring) ? ring : nil
        } catch {
            throw SecretStoreError(error)
        }
    }

    /// Tells all writers from now on that items of the namespace are updated.
    func announceUpdates(in leases: Keyring) throws(KeyringError) {
        do throws(KeyringError) {
            _ = try leases.search(.user, markName)
            return
        } catch {
            guard error.code == .notFound || error.code == .expired || error.code == .revoked else { throw error }
        }
        let one: InlineArray<1, UInt8> = [UInt8(ascii: "1")]
        let mark = try unsafe Staging.stage(
            .user, markName, payload: one.span.bytes, permissions: scope.permissions, timeout: nil)
        do throws(KeyringError) {
            try Keyring.thread.move(mark, to: leases)
        } catch {
            Staging.discard(mark)
            throw error
        }
        // Writers who have just looked and seen no mark are through with their write by then. One that is not does it again
        // under the lease, which loses nothing, but shows its value twice.
        usleep(20_000)
    }
}
