import Glibc
import Keyutils
import Synchronization

/// The update flag: the key that makes a namespace's writers take turns.
///
/// Whoever displaces or removes an item because of what it has seen there (an update, an `add` over a dead key, the reaper of
/// expired items) loses no other's write only if all writers take the item's lease, and that costs a plain write three times
/// its own work. So they do it only where the flag is, in the leases' ring. It stays once it is there. Whoever sets it waits
/// for ``grace`` before the first look at an item. A plain writer looks at the flag and is through with its write within
/// ``unlockedLimit``, which ends before: so the write is seen. A set that was stopped in between knows by the clock that it
/// was late, looks for the flag again, and makes sure of its value under the lease; it may show it twice. (A delete that was
/// stopped right before its system call counts as before an update that does not see it.)
extension NamespaceRings {
    private static let grace = Duration.milliseconds(20)
    /// How long after its look at the flag a plain writer may begin to write, and have ended to be in time.
    static let (unlockedStart, unlockedLimit) = (Duration.milliseconds(10), Duration.milliseconds(15))

    /// No lease's name begins like this, for a namespace has no colon in it when encoded.
    private var flagName: String { "updates:" + leasePrefix }

    /// Whether the namespace's writers take turns.
    func haveUpdateFlag(in leases: Keyring) throws(KeyringError) -> Bool {
        if flaggedSerial.load(ordering: .relaxed) == leases.serial.rawValue { return true }
        do throws(KeyringError) {
            _ = try leases.find(.user, flagName)
        } catch {
            switch error.code {
            case .notFound: return false
            // Somebody has removed it by hand, which ends no update.
            case .expired, .revoked: return true
            default: throw error
            }
        }
        flaggedSerial.store(leases.serial.rawValue, ordering: .relaxed)
        return true
    }

    /// The leases' ring of a namespace whose writers take turns; `nil` where they don't.
    ///
    /// Looked up anew: a ring that was removed holds no flag, and tells nothing.
    func leasesIfFlagged() throws(SecretStoreError) -> Keyring? {
        guard let ring = try findLeases() else { return nil }
        do throws(KeyringError) {
            return try haveUpdateFlag(in: ring) ? ring : nil
        } catch {
            throw SecretStoreError(error)
        }
    }

    /// Makes all writers take turns from now on; returns once all see it.
    func raiseUpdateFlag(in leases: Keyring) throws(KeyringError) {
        if let flagged = try timeOfFlag(in: leases) { return Self.waitForGrace(since: flagged) }
        let now = BootTime.now()
        try setUpdateFlag(at: now, in: leases)
        Self.waitForGrace(since: now)
    }

    /// The same for whoever does not have to be sure that all see it, as a fetch, whose item shows what they do.
    func raiseUpdateFlagUnhurried(in leases: Keyring) throws(KeyringError) {
        if try timeOfFlag(in: leases) == nil { try setUpdateFlag(at: .now(), in: leases) }
    }

    private func setUpdateFlag(at time: BootTime, in leases: Keyring) throws(KeyringError) {
        let words: InlineArray<1, UInt64> = [time.nanoseconds.littleEndian]
        let flag = try unsafe Staging.stage(
            .user, flagName, payload: words.span.bytes, permissions: scope.permissions, timeout: nil)
        do throws(KeyringError) {
            try Keyring.thread.move(flag, to: leases)
        } catch {
            Staging.discard(flag)
            throw error
        }
    }

    /// When the flag was set; `nil` where it is not.
    ///
    /// What says something else, or of a time to come, counts as set just now.
    private func timeOfFlag(in leases: Keyring) throws(KeyringError) -> BootTime? {
        do throws(KeyringError) {
            let time = try leases.find(.user, flagName).withPayload { payload in
                payload.byteCount == 8
                    ? UInt64(littleEndian: unsafe payload.unsafeLoadUnaligned(as: UInt64.self)) : UInt64.max
            }
            return min(BootTime(nanoseconds: time), .now())
        } catch {
            switch error.code {
            case .notFound, .expired, .revoked: return nil
            default: throw error
            }
        }
    }

    private static func waitForGrace(since flagged: BootTime) {
        let left = grace - BootTime.now().since(flagged)
        if left > .zero { Pause(duration: left).sleep() }
    }
}
