import Keyutils

/// Whether the memory of this process that held secrets could be kept from being swapped out.
enum MemoryLockCheck {
    static func finding() -> Finding {
        let limit = MemoryLockLimit.current
        // Room for the largest ordinary secret, in case no probe has needed any.
        let isLocked =
            SecretBytes(copying: [UInt8](repeating: 0, count: Key.largestUserPayload)).count > 0
            && SecretBytes.isMemoryLocked
        return Finding(
            check: check(isLocked: isLocked, limit: limit),
            facts: .object([
                "locked": .bool(isLocked),
                "limit": JSONValue(limit?.soft),
            ])
        )
    }

    private static func check(isLocked: Bool, limit: MemoryLockLimit?) -> DoctorCheck {
        let bound = limit?.soft.map { "\($0) bytes" } ?? "unlimited"
        guard !isLocked else {
            return .ok("memory-lock", "secrets in skr's memory are locked (RLIMIT_MEMLOCK \(bound))")
        }
        let mayRaise = limit.map { $0.hard ?? .max >= 8_388_608 } ?? false
        return .warning(
            "memory-lock",
            "secrets in skr's memory can be swapped out for a moment: RLIMIT_MEMLOCK is too small (\(bound))",
            hint: mayRaise ? DoctorHint.raiseOwnLimit : DoctorHint.raiseLimit
        )
    }
}
