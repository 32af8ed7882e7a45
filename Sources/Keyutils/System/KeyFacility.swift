import CKeyutils

/// Whether this process may use the kernel's key facility at all.
package enum KeyFacility {
    /// The system calls that it consists of.
    package enum Call: String, CaseIterable, Sendable {
        case addKey = "add_key"
        case keyctl
        case requestKey = "request_key"
    }

    /// The calls that fail whatever they are asked, and how: `notPermitted` (`EPERM`), as container profiles say it, or
    /// `unavailable` (`ENOSYS`), as they or a kernel without keys do.
    ///
    /// Each is called with arguments that the kernel refuses before it does anything.
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

    /// Whether a seccomp filter is in force for this process, whatever it forbids; `nil` where `/proc` does not tell.
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
