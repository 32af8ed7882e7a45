import Glibc

/// A user's quota of keys and key bytes: usage and limits.
///
/// Freed quota comes back late: up to about 30 ms after an unlink, and for an expired key only
/// `/proc/sys/kernel/keys/gc_delay` seconds (300) after its expiry.
///
/// The format of `/proc/key-users` is described in `keyrings(7)`.
public struct KeyQuota: Hashable, Sendable {
    /// The number of keys charged to the user.
    public let keys: Int
    /// The limit of keys: 200 for an ordinary user, unless the administrator changed it.
    public let maximumKeys: Int
    /// The bytes of payloads, descriptions and links charged to the user.
    public let bytes: Int
    /// The limit of bytes: 20,000 for an ordinary user, unless the administrator changed it.
    public let maximumBytes: Int

    /// Creates a quota from the numbers of a kernel, or of a backend that replaces it.
    public init(keys: Int, maximumKeys: Int, bytes: Int, maximumBytes: Int) {
        self.keys = keys
        self.maximumKeys = maximumKeys
        self.bytes = bytes
        self.maximumBytes = maximumBytes
    }

    /// Reads a user's quota, by default that of the process's effective user.
    ///
    /// - Throws: ``KeyringError`` with `notFound` if the user has no keys, or `notLinked` or `accessDenied` if `/proc`
    ///   does not offer the file.
    public static func current(ofUser userID: UInt32? = nil) throws(KeyringError) -> KeyQuota {
        let userID = userID ?? geteuid()
        // The kernel returns the file one page at a time and continues at a line's number. If an earlier
        // line has disappeared in between, it skips a user, so read a long file again. A file shorter than a
        // page comes in one piece.
        for _ in 0..<20 {
            let table = try readProcFile("/proc/key-users")
            for line in table.split(separator: "\n") {
                if let (user, quota) = parse(line), user == userID { return quota }
            }
            if table.utf8.count < 4_000 { break }
        }
        throw KeyringError(.notFound, in: .procfs)
    }

    /// Parses a line: user, structures, keys/instantiated, keys/limit, bytes/limit.
    ///
    /// For example, `    0:     9 8/8 3/1000000 40/25000000`.
    static func parse(_ line: Substring) -> (userID: UInt32, quota: KeyQuota)? {
        let fields = line.split(separator: " ")
        guard fields.count == 5, let userID = UInt32(fields[0].dropLast()),
            let (keys, maximumKeys) = parsePair(fields[3]), let (bytes, maximumBytes) = parsePair(fields[4])
        else { return nil }
        let quota = KeyQuota(keys: keys, maximumKeys: maximumKeys, bytes: bytes, maximumBytes: maximumBytes)
        return (userID, quota)
    }

    private static func parsePair(_ field: Substring) -> (Int, Int)? {
        let parts = field.split(separator: "/")
        guard parts.count == 2, let used = Int(parts[0]), let limit = Int(parts[1]) else { return nil }
        return (used, limit)
    }
}
