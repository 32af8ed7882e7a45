import Glibc
import Keyutils

/// The user's keys and bytes in the kernel, sampled now and then.
struct QuotaWatch {
    /// The use before the run, the highest use at any time, and the latest one.
    private(set) var figures: QuotaFigures
    /// Whether the kernel shows the quota.
    private let isKnown: Bool

    /// The keys that the run was seen to make.
    var ownKeys = OwnKeys()

    private static let none = KeyQuota(keys: 0, maximumKeys: 0, bytes: 0, maximumBytes: 0)

    /// Waits until the kernel has collected recently removed keys, then takes the first sample.
    init() {
        usleep(100_000)
        let found = try? KeyQuota.current()
        // A user without keys is not listed. Root always has some, so if root is missing, the list is not the kernel's.
        isKnown = found != nil || (try? KeyQuota.current(ofUser: 0)) != nil
        let now = found ?? Self.none
        figures = QuotaFigures(
            keysBefore: now.keys, bytesBefore: now.bytes, mostKeys: now.keys, mostBytes: now.bytes, keysAfter: now.keys,
            bytesAfter: now.bytes, keyLimit: now.maximumKeys, byteLimit: now.maximumBytes)
    }

    mutating func look() {
        ownKeys.look()
        let now = (try? KeyQuota.current()) ?? Self.none
        (figures.keysAfter, figures.bytesAfter) = (now.keys, now.bytes)
        (figures.keyLimit, figures.byteLimit) = (now.maximumKeys, now.maximumBytes)
        figures.mostKeys = max(figures.mostKeys, now.keys)
        figures.mostBytes = max(figures.mostBytes, now.bytes)
    }

    /// Whether more than 70% of the limit was in use at any time.
    var isTight: Bool {
        figures.mostKeys * 10 > figures.keyLimit * 7 || figures.mostBytes * 10 > figures.byteLimit * 7
    }
}

// MARK: - At the end of a run
extension QuotaWatch {
    /// Checks that nothing that a run used is left.
    ///
    /// The check fails only if one of the run's own keys is left. If more is in use than before the run, but no own key
    /// is left, other programs of the user can have stored it, so the check is skipped.
    ///
    /// - Parameter limit: how long to wait until the kernel has freed keys and quota, which it does late.
    mutating func settledOutcome(within limit: Duration) -> CheckOutcome {
        var outcome = CheckOutcome(
            name: "the run leaves no quota in use", verdict: .skipped, detail: "/proc/key-users doesn't show the quota",
            looked: 1, subject: "keys at most")
        guard isKnown else { return outcome }
        let left = settle(within: limit)
        outcome.looked = figures.mostKeys
        outcome.evidence = left
        outcome.verdict = !left.isEmpty ? .failed : isBackToBefore ? .passed : .skipped
        outcome.detail =
            left.isEmpty
            ? "\(figures.keysAfter) keys and \(figures.bytesAfter) bytes, but \(figures.keysBefore) and "
                + "\(figures.bytesBefore) before the run; no key of the run is left, so another program of this user has "
                + "stored some"
            : "left: \(Figures.plural(left.count, "key")) of the run"
        return outcome
    }

    /// Waits until no more is in use than before the run, but not for longer than `limit`.
    ///
    /// - Returns: the own keys that are left.
    private mutating func settle(within limit: Duration) -> [String] {
        let end = ContinuousClock.now + limit
        repeat {
            look()
            if isBackToBefore, ownKeys.left().isEmpty { return [] }
            usleep(50_000)
        } while ContinuousClock.now < end
        return ownKeys.left()
    }

    /// Whether no more is in use than before the run.
    private var isBackToBefore: Bool {
        figures.keysAfter <= figures.keysBefore && figures.bytesAfter <= figures.bytesBefore
    }
}
