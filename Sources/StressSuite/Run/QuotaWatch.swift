import Glibc
import Keyutils

/// The user's keys and bytes, looked at now and then.
struct QuotaWatch {
    struct Use {
        var keys = 0
        var bytes = 0
        var keyLimit = 0
        var byteLimit = 0
        var isKnown = true
    }

    let before: Use
    private(set) var last: Use
    private(set) var mostKeys: Int
    private(set) var mostBytes: Int

    init() {
        before = Self.now()
        last = before
        mostKeys = before.keys
        mostBytes = before.bytes
    }

    mutating func look() {
        last = Self.now()
        mostKeys = max(mostKeys, last.keys)
        mostBytes = max(mostBytes, last.bytes)
    }

    /// A first look, once the kernel has collected what went just before.
    static func settled() -> QuotaWatch {
        usleep(100_000)
        return QuotaWatch()
    }

    /// Waits until no more is used than before, some seconds at most: the kernel gives quota back late.
    ///
    /// - Returns: whether somebody else is at work too, as what is used goes up and down.
    mutating func settle() -> Bool {
        var least = Int.max
        var isMoving = false
        for round in 0..<100 {
            look()
            if isBackToBefore { return false }
            // By then the collector has been through.
            if round > 40, last.keys > least { isMoving = true }
            least = min(least, last.keys)
            usleep(50_000)
        }
        return isMoving
    }

    /// Whether no more is used than before.
    var isBackToBefore: Bool { last.keys <= before.keys && last.bytes <= before.bytes }

    /// Whether nothing that a run used is still used.
    mutating func settledOutcome() -> CheckOutcome {
        guard before.isKnown else {
            return CheckOutcome(
                name: "the quota is back to where it was", verdict: .skipped,
                detail: "/proc/key-users does not tell it", looked: 1, subject: "keys at most")
        }
        let isMoving = settle()
        let difference = """
            \(last.keys) keys and \(last.bytes) bytes, where \(before.keys) and \(before.bytes) were before
            """
        return CheckOutcome(
            name: "the quota is back to where it was",
            verdict: isBackToBefore ? .passed : isMoving ? .skipped : .failed,
            detail: isMoving
                ? "other programs of this user store keys at the same time"
                : "\(difference); unless another program of this user has stored some", looked: mostKeys,
            subject: "keys at most")
    }

    var figures: QuotaFigures {
        QuotaFigures(
            keysBefore: before.keys, bytesBefore: before.bytes, mostKeys: mostKeys, mostBytes: mostBytes,
            keysAfter: last.keys, bytesAfter: last.bytes, keyLimit: last.keyLimit, byteLimit: last.byteLimit)
    }

    /// Whether it was nearly full at any time.
    var isTight: Bool {
        mostKeys * 10 > last.keyLimit * 7 || mostBytes * 10 > last.byteLimit * 7
    }

    private static func now() -> Use {
        if let quota = try? KeyQuota.current() {
            return Use(
                keys: quota.keys, bytes: quota.bytes, keyLimit: quota.maximumKeys, byteLimit: quota.maximumBytes)
        }
        // A user without keys is not listed; root always has some, so without it the list is not the kernel's.
        return Use(isKnown: (try? KeyQuota.current(ofUser: 0)) != nil)
    }
}
