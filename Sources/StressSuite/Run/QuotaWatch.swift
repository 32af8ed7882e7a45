import Glibc
import Keyutils

/// The user's keys and bytes, looked at now and then.
struct QuotaWatch {
    struct Use {
        var keys = 0
        var bytes = 0
        var keyLimit = 0
        var byteLimit = 0
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

    /// Waits until no more is used than before: the kernel gives quota back late.
    mutating func settle() {
        for _ in 0..<200 {
            look()
            if isBackToBefore { return }
            usleep(50_000)
        }
    }

    /// Whether no more is used than before.
    var isBackToBefore: Bool { last.keys <= before.keys && last.bytes <= before.bytes }

    var figures: QuotaFigures {
        QuotaFigures(
            keysBefore: before.keys, bytesBefore: before.bytes, mostKeys: mostKeys, mostBytes: mostBytes,
            keysAfter: last.keys, bytesAfter: last.bytes, keyLimit: last.keyLimit, byteLimit: last.byteLimit)
    }

    /// All zero for a user without keys, and where `/proc` does not tell.
    private static func now() -> Use {
        guard let quota = try? KeyQuota.current() else { return Use() }
        return Use(
            keys: quota.keys, bytes: quota.bytes, keyLimit: quota.maximumKeys, byteLimit: quota.maximumBytes)
    }
}
