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

    /// Waits until the kernel has collected recently removed keys, then takes the first sample.
    init() {
        usleep(100_000)
        before = Self.now()
        last = before
        most = before
    }

    mutating func look() {
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
    /// Checks that everything that a run used is free again.
    mutating func settledOutcome() -> CheckOutcome {
        var outcome = CheckOutcome(
            name: "the run leaves no quota in use", verdict: .skipped, detail: "/proc/key-users doesn't show the quota",
            looked: 1, subject: "keys at most")
        guard before.isKnown else { return outcome }
        let isMoving = settle()
        outcome.looked = most.keys
        outcome.verdict = isBackToBefore ? .passed : isMoving ? .skipped : .failed
        outcome.detail =
            isMoving
            ? "other programs of this user are storing keys"
            : "\(last.keys) keys and \(last.bytes) bytes, but \(before.keys) and \(before.bytes) before the run; "
                + "perhaps another program of this user has stored some"
        return outcome
    }

    /// Waits, for about five seconds at most, until no more is in use than before the run.
    ///
    /// The kernel frees quota late.
    ///
    /// - Returns: whether other programs store keys as well, which shows in a use that goes up and down.
    private mutating func settle() -> Bool {
        var least = Int.max
        var isMoving = false
        for round in 0..<100 {
            look()
            if isBackToBefore { return false }
            // By then, the kernel has collected everything, so any increase comes from another program.
            if round > 40, last.keys > least { isMoving = true }
            least = min(least, last.keys)
            usleep(50_000)
        }
        return isMoving
    }

    /// Whether no more is in use than before the run.
    private var isBackToBefore: Bool { last.keys <= before.keys && last.bytes <= before.bytes }
}
