import Keyutils

/// Whether something forbids the system calls of the key facility.
enum CallsCheck {
    static func refusals() -> [(call: KeyFacility.Call, error: KeyringError)] { KeyFacility.refusals() }

    static func finding(_ refusals: [(call: KeyFacility.Call, error: KeyringError)]) -> Finding {
        let isFiltered = KeyFacility.isFiltered
        return Finding(
            check: check(refusals, isFiltered: isFiltered),
            facts: .object([
                "blocked": .array(refusals.map { .string($0.call.rawValue) }),
                "seccompFilter": JSONValue(isFiltered),
            ]))
    }

    private static func check(
        _ refusals: [(call: KeyFacility.Call, error: KeyringError)],
        isFiltered: Bool?
    ) -> DoctorCheck {
        let calls = refusals.map { "\($0.call.rawValue) (errno \($0.error.errno))" }.joined(separator: ", ")
        guard let first = refusals.first else {
            return .ok("calls", "add_key, keyctl and request_key are allowed")
        }
        if first.error.code == .unavailable, isFiltered == false {
            return .problem("calls", "this kernel has no key facility: \(calls)", hint: DoctorHint.newKernel)
        }
        let cause = isFiltered == false ? "a security module" : "a seccomp filter, as containers have,"
        let isFatal = refusals.contains { $0.call != .requestKey }
        return isFatal
            ? .problem("calls", "\(cause) blocks \(calls)", hint: DoctorHint.allowCalls)
            : .warning("calls", "\(cause) blocks \(calls), which skr hardly needs", hint: DoctorHint.allowCalls)
    }
}
