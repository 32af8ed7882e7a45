import CKeyutils

/// Whether this process can use the kernel's key facility at all.
package enum KeyFacility {
    /// The system calls of the key facility.
    package enum Call: String, CaseIterable, Sendable {
        case addKey = "add_key"
        case keyctl
        case requestKey = "request_key"
    }

    /// Returns the calls that fail whatever their arguments are, with their errors.
    ///
    /// The error is `notPermitted` (`EPERM`) from some container profiles, or `unavailable` (`ENOSYS`) from others and
    /// from a kernel without keys.
    ///
    /// To find out, this makes each call with arguments that the kernel refuses before it does anything.
    package static func refusals() -> [(call: Call, error: KeyringError)] {
        Call.allCases.compactMap { call in
            do throws(KeyringError) {
                try attempt(call)
                return nil
            } catch {
                return error.code == .notPermitted || error.code == .unavailable ? (call, error) : nil
            }
        }
    }

    /// Whether this process has a seccomp filter, whatever it forbids; `nil` if `/proc` does not show it.
    package static var isFiltered: Bool? {
        guard let status = try? readProcFile("/proc/self/status") else { return nil }
        return isFiltered(status: status)
    }

    package static func isFiltered(status: String) -> Bool? {
        let line = status.split(separator: "\n").first { $0.hasPrefix("Seccomp:") }
        return line.map { !$0.hasSuffix("\t0") }
    }

    private static func attempt(_ call: Call) throws(KeyringError) {
        switch call {
        case .addKey: try systemCall(.add) { add_key(nil, nil, nil, 0, 0) }
        case .keyctl: try systemCall(.describe) { keyctl_describe(0, nil, 0) }
        case .requestKey: try systemCall(.request) { request_key(nil, nil, nil, 0) }
        }
    }
}
