import Keyutils
import SessionKeyring

/// Whether the kernel lets us see how much time a secret has left, as it does in `/proc/keys` alone.
enum TimeLeftCheck {
    static func finding(probes: [ScopeProbe]) -> Finding {
        let isReadable = (try? KeyTable.snapshot()) != nil
        let isKnown = isReadable && probes.allSatisfy(\.isTimeLeftKnown)
        return Finding(
            check: check(isReadable: isReadable, isKnown: isKnown), facts: .object(["known": .bool(isKnown)]))
    }

    private static func check(isReadable: Bool, isKnown: Bool) -> DoctorCheck {
        if isKnown { return .ok("time-left", "known, from /proc/keys") }
        let reason = isReadable ? "/proc/keys does not show our own keys" : "/proc/keys can't be read"
        return .warning("time-left", "unknown: \(reason); timeouts work all the same", hint: DoctorHint.mountProc)
    }
}
