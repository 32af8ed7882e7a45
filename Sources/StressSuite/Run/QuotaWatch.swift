import Glibc
import Keyutils

/// The user's keys and bytes in the kernel, sampled now and then.
struct QuotaWatch {
    struct Use {
        var keys = 0
        var bytes = 0
        var keyLimit = 0
        var byteLimit = 0
        var isKnown = true

        /// The share of the limit in use in percent, for keys or bytes, whichever is higher.
        var percent: Int {
            max(
                Figures.percent(Double(keys), of: Double(keyLimit)),
                Figures.percent(Double(bytes), of: Double(byteLimit)))
        }
    }

    let before: Use
    private(set) var last: Use
    /// The highest number of keys and the highest number of bytes at any time.
    private(set) var most: Use

    /// The keys that the run was seen to make.
    var ownKeys = OwnKeys()

    /// Waits until the kernel has collected recently removed keys, then takes the first sample.
    init() {
        usleep(100_000)
        before = Self.now()
        last = before
        most = before
    }

    mutating func look() {
        ownKeys.look()
        last = Self.now()
        most.keys = max(most.keys, last.keys)
        most.bytes = max(most.bytes, last.bytes)
    }

    /// Whether more than 70% of the limit was in use at any time.
    var isTight: Bool { most.keys * 10 > last.keyLimit * 7 || most.bytes * 10 > last.byteLimit * 7 }

    var figures: QuotaFigures {
        QuotaFigures(
            keysBefore: before.keys, bytesBefore: before.bytes, mostKeys: most.keys, mostBytes: most.bytes,
            keysAfter: last.keys, bytesAfter: last.bytes, keyLimit: last.keyLimit, byteLimit: last.byteLimit)
    }

    private static func now() -> Use {
        if let quota = try? KeyQuota.current() {
            return Use(
                keys: quota.keys, bytes: quota.bytes, keyLimit: quota.maximumKeys, byteLimit: quota.maximumBytes)
        }
        // A user without keys is not listed. Root always has some, so if root is missing, the list is not the kernel's.
        return Use(isKnown: (try? KeyQuota.current(ofUser: 0)) != nil)
    }
}

// MARK: - At the end of a run
extension QuotaWatch {
    /// Checks that nothing that a run used is left.
    ///
    /// The check fails only if one of the run's own keys is left. If more is in use than before the run, but no own key
    /// is left, other programs of the user can have stored it, so the check is skipped.
    mutating func settledOutcome() -> CheckOutcome {
        var outcome = CheckOutcome(
            name: "the run leaves no quota in use", verdict: .skipped, detail: "/proc/key-users doesn't show the quota",
            looked: 1, subject: "keys at most")
        guard before.isKnown else { return outcome }
        let left = settle()
        outcome.looked = most.keys
        outcome.evidence = left
        outcome.verdict = !left.isEmpty ? .failed : isBackToBefore ? .passed : .skipped
        outcome.detail =
            left.isEmpty
            ? "\(last.keys) keys and \(last.bytes) bytes, but \(before.keys) and \(before.bytes) before the run; no "
                + "key of the run is left, so another program of this user has stored some"
            : "left: \(Figures.plural(left.count, "key")) of the run"
        return outcome
    }

    /// Waits, for about five seconds at most, until no more is in use than before the run.
    ///
    /// The kernel frees keys and quota late.
    ///
    /// - Returns: the own keys that are left.
    private mutating func settle() -> [String] {
        for _ in 0..<100 {
            look()
            if isBackToBefore, ownKeys.left().isEmpty { return [] }
            usleep(50_000)
        }
        return ownKeys.left()
    }

    /// Whether no more is in use than before the run.
    private var isBackToBefore: Bool { last.keys <= before.keys && last.bytes <= before.bytes }
}
