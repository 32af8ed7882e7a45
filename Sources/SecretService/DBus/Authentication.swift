import Keyutils

/// The server's side of D-Bus's authentication, for one connection.
///
/// The kernel has already told us the peer's user, so what the peer claims doesn't matter. Only `EXTERNAL` is offered.
struct Authentication {
    /// The longest line; an ordinary one has less than 100 bytes.
    private static let longestLine = 1_024
    /// Clients need six at most.
    private static let mostLines = 64

    private let guid: String
    private let isAllowed: Bool
    private var line: [UInt8] = []
    private var lineCount = 0
    private var hasNUL = false
    private var isAccepted = false
    private(set) var isDone = false

    init(guid: String, isAllowed: Bool) {
        (self.guid, self.isAllowed) = (guid, isAllowed)
    }

    /// Takes the next byte.
    ///
    /// - Returns: the answer to a complete line, which can be empty.
    /// - Throws: an error if the connection should be closed.
    mutating func take(_ byte: UInt8) throws(WireError) -> String? {
        guard hasNUL else {
            guard byte == 0 else { throw WireError() }
            hasNUL = true
            return nil
        }
        line.append(byte)
        guard line.count <= Self.longestLine else { throw WireError() }
        guard byte == UInt8(ascii: "\n") else { return nil }
        guard line.count >= 2, line[line.count - 2] == UInt8(ascii: "\r") else { throw WireError() }
        lineCount += 1
        guard lineCount <= Self.mostLines else { throw WireError() }
        defer { line = [] }
        return answer(String(decoding: line.dropLast(2), as: UTF8.self)) + (isDone ? "" : "\r\n")
    }

    private mutating func answer(_ line: String) -> String {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        switch words.first {
        case "AUTH" where words.count > 1 && words[1] == "EXTERNAL":
            // Without the user in the same line, the client sends it in the next one.
            return words.count > 2 ? accept() : "DATA"
        case "DATA": return accept()
        case "BEGIN" where isAccepted:
            isDone = true
            return ""
        // The kernel closes all descriptors that arrive, because recv(2) has no place for them.
        case "NEGOTIATE_UNIX_FD" where isAccepted: return "AGREE_UNIX_FD"
        case "AUTH", "CANCEL", "ERROR": return "REJECTED EXTERNAL"
        default: return "ERROR unknown command"
        }
    }

    private mutating func accept() -> String {
        guard isAllowed else { return "REJECTED EXTERNAL" }
        isAccepted = true
        return "OK \(guid)"
    }
}
