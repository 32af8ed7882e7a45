import Glibc
import Keyutils
import Synchronization

/// The update flag: the key that makes a namespace's writers take turns.
///
/// Whoever displaces or removes an item because of what it has seen there (an update, an `add` over a dead key, the reaper of
/// expired items) loses no other's write only if all writers take the item's lease, and that costs a plain write three times
/// its own work. So they do it only where the flag is, in the leases' ring. It stays once it is there. Whoever sets it waits
/// for ``grace`` before the first look at an item. A plain writer looks at the flag and is through with its write within
/// ``unlockedLimit``, which ends before: so the write is seen. A set or delete that was stopped in between knows by the clock
/// that it was late, looks for the flag again, and makes sure under the lease; it may take effect twice.
extension NamespaceRings {
    private static let grace = Duration.milliseconds(20)
    /// How long after its look at the flag a plain writer may begin to write, and have ended to be in time.
    static let (unlockedStart, unlockedLimit) = (BootTime(.milliseconds(10)), BootTime(.milliseconds(15)))

    /// Whether the namespace's writers take turns.
    func haveUpdateFlag(in leases: Keyring) throws(KeyringError) -> Bool {
        if flaggedSerial.load(ordering: .relaxed) == leases.serial.rawValue { return true }
        do throws(KeyringError) {
            _ = try leases.search(.user, flagName)
        } catch {
            if error.code == .notFound { return false }
            // Somebody has removed it by hand, which ends no update; or something odd bears its name.
            guard error.isKeyDead || error.code == .accessDenied else { throw error }
            return true
        }
        flaggedSerial.store(leases.serial.rawValue, ordering: .relaxed)
        return true
    }

    /// The leases' ring of a namespace whose writers take turns; `nil` where they don't.
    ///
    /// Looked up anew: a ring that was removed holds no flag, and tells nothing.
    func flaggedLeasesRing() throws(SecretStoreError) -> Keyring? {
        guard let ring = try findLeasesRing() else { return nil }
        return try inStoreTerms { () throws(KeyringError) in try haveUpdateFlag(in: ring) } ? ring : nil
    }

    /// Makes all writers use leases from now on; false, with the attempt blocked, while some may not have seen the flag.
    func raiseUpdateFlag(in leases: Keyring, _ attempt: inout BackendAttempt) throws(KeyringError) -> Bool {
        let end = try timeOfRaisedFlag(in: leases) + BootTime(Self.grace)
        return end <= .now() ? true : attempt.isBlocked(by: .until(end))
    }

    /// Sets the flag where it is not; returns a time at which it could be seen.
    ///
    /// It says that time only once it is in its place: read before, the clock would count the way there as grace. Where it
    /// says none, or one to come, whoever finds it says when that was.
    private func timeOfRaisedFlag(in leases: Keyring) throws(KeyringError) -> BootTime {
        let found = try findFlag(in: leases)
        if let time = found?.time, time < .now() { return time }
        if let found, let now = try timeWritten(to: found.key) { return now }
        // There is none, or one that is not ours to change.
        return try timeWritten(to: setUpdateFlag(in: leases)) ?? .now()
    }

    /// Has the flag say the time; `nil` where it is gone or not ours to change.
    private func timeWritten(to flag: Key) throws(KeyringError) -> BootTime? {
        let now = BootTime.now()
        do throws(KeyringError) {
            try Self.withPayload(now) { payload throws(KeyringError) in try flag.update(payload) }
            return now
        } catch {
            guard error.isKeyGoneOrRefused else { throw error }
            return nil
        }
    }

    private func setUpdateFlag(in leases: Keyring) throws(KeyringError) -> Key {
        let flag = try Self.withPayload(nil) { payload throws(KeyringError) in
            try Staging.stage(.user, flagName, payload: payload, permissions: scope.permissions, timeout: nil)
        }
        do throws(KeyringError) {
            try Keyring.thread.move(flag, to: leases)
        } catch {
            Staging.discard(flag)
            throw error
        }
        return flag
    }

    /// The flag and what it says; `nil` where there is none, or something that can't be read, which a flag displaces.
    private func findFlag(in leases: Keyring) throws(KeyringError) -> (key: Key, time: BootTime?)? {
        do throws(KeyringError) {
            let flag = try leases.find(.user, flagName)
            let time = try flag.withPayload { payload in
                payload.byteCount == 8
                    ? UInt64(littleEndian: unsafe payload.unsafeLoadUnaligned(as: UInt64.self)) : UInt64.max
            }
            return (flag, time == .max ? nil : BootTime(nanoseconds: time))
        } catch {
            guard error.isKeyGoneOrRefused else { throw error }
            return nil
        }
    }

    private static func withPayload<Result>(
        _ time: BootTime?, _ body: (RawSpan) throws(KeyringError) -> Result
    ) throws(KeyringError) -> Result {
        let words: InlineArray<1, UInt64> = [(time?.nanoseconds ?? .max).littleEndian]
        return try unsafe body(words.span.bytes)
    }
}

/// Whether a write that took no lease was through in time: soon enough after the look that showed no update flag.
struct UnlockedWrite {
    /// To be made before the look at the flag.
    private let look = BootTime.ofThisNamespace()

    /// Whether the write may begin.
    var mayBegin: Bool { .ofThisNamespace() < look + NamespaceRings.unlockedStart }

    /// Whether a process that raises the flag later sees what was written.
    var isInTime: Bool { .ofThisNamespace() < look + NamespaceRings.unlockedLimit }
}
