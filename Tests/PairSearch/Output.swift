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
    static func name(_ operation: CInt) -> String {
        switch operation {
        case -1: "add_key"
        case 0: "GET_KEYRING_ID"
        case 2: "UPDATE"
        case 3: "REVOKE"
        case 5: "SETPERM"
        case 6: "DESCRIBE"
        case 7: "CLEAR"
        case 8: "LINK"
        case 9: "UNLINK"
        case 10: "SEARCH"
        case 11: "READ"
        case 15: "SET_TIMEOUT"
        case 21: "INVALIDATE"
        case 29: "RESTRICT"
        case 30: "MOVE"
        default: "keyctl operation \(operation)"
        }
    }
}
