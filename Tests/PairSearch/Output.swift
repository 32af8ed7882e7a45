import Glibc

/// Standard output, to which many processes write complete messages.
enum Output {
    static func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return }
            bytes = bytes.dropFirst(max(0, count))
        }
    }
}

/// The names of the keyring calls in a finding.
enum KeyringCall {
    private static let names: [CInt: String] = [
        -1: "add_key", 0: "GET_KEYRING_ID", 2: "UPDATE", 3: "REVOKE", 5: "SETPERM", 6: "DESCRIBE", 7: "CLEAR",
        8: "LINK", 9: "UNLINK", 10: "SEARCH", 11: "READ", 15: "SET_TIMEOUT", 21: "INVALIDATE", 29: "RESTRICT",
        30: "MOVE",
    ]

    static func name(_ operation: CInt) -> String { names[operation] ?? "keyctl operation \(operation)" }
}
