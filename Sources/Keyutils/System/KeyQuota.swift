import Glibc

/// How much of its share of keys and key bytes a user has used.
///
/// What was freed comes back late: up to some 30 ms after an unlink, and for expired keys only when
/// `/proc/sys/kernel/keys/gc_delay` seconds (300) have passed.
///
/// The format of `/proc/key-users` is described in `keyrings(7)`.
public struct KeyQuota: Hashable, Sendable {
    /// Keys charged to the user.
    public let keys: Int
    /// The most keys that may be charged: 200 for an ordinary user, unless the administrator changed it.
    public let maximumKeys: Int
    /// Bytes of payloads, descriptions and links charged to the user.
    public let bytes: Int
    /// The most bytes that may be charged: 20,000 for an ordinary user, unless the administrator changed it.
    public let maximumBytes: Int

    /// What a kernel, or a backend that stands in for one, tells.
    public init(keys: Int, maximumKeys: Int, bytes: Int, maximumBytes: Int) {
        self.keys = keys
        self.maximumKeys = maximumKeys
        self.bytes = bytes
        self.maximumBytes = maximumBytes
    }

    /// Reads the quota of a user, the effective user of the process unless named.
    ///
    /// - Throws: ``KeyringError`` with `notFound` where the user has no keys, or `notLinked` or `accessDenied` where
    ///   `/proc` does not offer it.
    public static func current(ofUser userID: UInt32? = nil) throws(KeyringError) -> KeyQuota {
        let userID = userID ?? geteuid()
        // The kernel hands out a page at a time and goes on at a line's number: who stands there is passed over where
        // somebody further up has gone meanwhile. What is shorter than a page came in one piece.
        for _ in 0..<20 {
            let table = try readProcFile("/proc/key-users")
            for line in table.split(separator: "\n") {
                if let (user, quota) = parse(line), user == userID { return quota }
            }
            if table.utf8.count < 4_000 { break }
        }
        throw KeyringError(.notFound, in: .procfs)
    }

    /// `    0:     9 8/8 3/1000000 40/25000000`: user, structures, keys/instantiated, keys/limit, bytes/limit.
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
