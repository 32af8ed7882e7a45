import Keyutils
import Synchronization

/// The update flag: a key in the leases' ring that makes the writers of a namespace use leases.
///
/// Some operations look at an item, and displace or remove it because of what they saw: an update, an `add` over an
/// expired item, and the removal of expired items. They lose no other process's write only if all writers take the
/// item's lease. Facts about a value need the same, so that its writers remove them. With a lease, a write takes about
/// three times as long as a *plain* write without one. So writers take leases only if the flag exists. Once it exists,
/// it stays.
///
/// 1. A process that sets the flag waits for ``grace`` before its first look at an item. (If it dies before that, the
///    flag may state no time. The next process that needs the flag then writes the time and waits.)
/// 2. A plain writer looks for the flag and completes its write within ``unlockedLimit`` after that look. This is less
///    than ``grace``, so the process that set the flag sees the write.
/// 3. A plain set, delete or expire that is stopped between its look and its write learns from the clock that it is
///    late. It then looks for the flag again. If the flag exists by now, it checks the result under the item's lease
///    and, if necessary, writes again. So it may take effect twice.
extension NamespaceRings {
    private static let grace = Duration.milliseconds(20)
    /// How soon after its look for the flag a plain writer must have begun its write, and must have completed it.
    static let (unlockedStart, unlockedLimit) = (BootTime(.milliseconds(10)), BootTime(.milliseconds(15)))

    /// Returns whether the namespace's writers use leases.
    func haveUpdateFlag(in leases: Keyring) throws(KeyringError) -> Bool {
        if flaggedSerial.load(ordering: .relaxed) == leases.serial.rawValue { return true }
        do throws(KeyringError) {
            _ = try leases.search(.user, flagName)
        } catch {
            if error.code == .notFound { return false }
            // Somebody has revoked the flag by hand, which does not end any update, or something unexpected has its
            // name. In both cases, the flag counts as set.
            guard error.isKeyDead || error.code == .accessDenied else { throw error }
            return true
        }
        flaggedSerial.store(leases.serial.rawValue, ordering: .relaxed)
        return true
    }

    /// Returns the leases' ring if the namespace's writers use leases; otherwise `nil`.
    ///
    /// The ring is looked up again: a ring that was removed contains no flag and proves nothing.
    func flaggedLeasesRing() throws(SecretStoreError) -> Keyring? {
        guard let ring = try findLeasesRing() else { return nil }
        return try inStoreTerms { () throws(KeyringError) in try haveUpdateFlag(in: ring) } ? ring : nil
    }

    /// Makes all writers use leases from now on.
    ///
    /// - Returns: the blockage, as long as some writers may not have seen the flag; otherwise `nil`.
    func raiseUpdateFlag(in leases: Keyring) throws(KeyringError) -> Blockage? {
        let end = try timeOfRaisedFlag(in: leases) + BootTime(Self.grace)
        return end <= .now() ? nil : .until(end)
    }

    /// Sets the flag if it does not exist, and returns a time at which others could see it.
    ///
    /// The time is read and written only after the flag is in the ring. Otherwise part of the grace time could pass
    /// before others can see the flag. If the flag states no time or a time in the future, the process that finds it
    /// writes the current time.
    private func timeOfRaisedFlag(in leases: Keyring) throws(KeyringError) -> BootTime {
        let found = try findFlag(in: leases)
        if let time = found?.time, time < .now() { return time }
        if let found, let now = try timeWritten(to: found.key) { return now }
        // There isn't a flag, or this process can't change it.
        return try timeWritten(to: setUpdateFlag(in: leases)) ?? .now()
    }

    /// Writes the current time into the flag; `nil` if the flag is gone or this process can't change it.
    private func timeWritten(to flag: Key) throws(KeyringError) -> BootTime? {
        let now = BootTime.now()
        return try unlessGoneOrRefused { () throws(KeyringError) -> BootTime in
            try Self.withPayload(now) { payload throws(KeyringError) in try flag.update(payload) }
            return now
        }
    }

    private func setUpdateFlag(in leases: Keyring) throws(KeyringError) -> Key {
        let flag = try Self.withPayload(nil) { payload throws(KeyringError) in
            try Staging.stage(flagName, payload: payload, permissions: permissions, timeout: nil)
        }
        try Staging.discardIfFailing(flag) { () throws(KeyringError) in try Keyring.thread.move(flag, to: leases) }
        return flag
    }

    /// Finds the flag and the time that it states, which is `nil` if it states none.
    ///
    /// - Returns: `nil` if there isn't a flag, or if it can't be read. A new flag displaces one that can't be read.
    private func findFlag(in leases: Keyring) throws(KeyringError) -> (key: Key, time: BootTime?)? {
        try unlessGoneOrRefused { () throws(KeyringError) -> (key: Key, time: BootTime?) in
            let flag = try leases.find(.user, flagName)
            let time = try flag.withPayload { payload in payload.byteCount == 8 ? payload.word(at: 0) : .max }
            return (flag, time == .max ? nil : BootTime(nanoseconds: time))
        }
    }

    private static func withPayload<Result>(
        _ time: BootTime?, _ body: (RawSpan) throws(KeyringError) -> Result
    ) throws(KeyringError) -> Result {
        let words: InlineArray<1, UInt64> = [(time?.nanoseconds ?? .max).littleEndian]
        return try unsafe body(words.span.bytes)
    }
}

/// The timing of a write that takes no lease, counted from just before its look for the update flag.
struct UnlockedWrite {
    /// The time before the look for the flag, so create this value first.
    private let look = BootTime.ofThisNamespace()

    /// Whether the write can still begin.
    var mayBegin: Bool { .ofThisNamespace() < look + NamespaceRings.unlockedStart }

    /// Whether a process that raises the flag later sees the write.
    var isInTime: Bool { .ofThisNamespace() < look + NamespaceRings.unlockedLimit }
}
