import Glibc

/// The time left until a key expires, rounded down to the unit in which the kernel shows it.
public struct KeyTimeLeft: Hashable, Sendable {
    /// The time left, rounded down.
    public let atLeast: Duration
    /// The unit of rounding: the time left is less than ``atLeast`` plus one second, minute, hour, day or week.
    public let precision: Duration

    /// Creates a time left from the numbers of a kernel, or of a backend that replaces it.
    public init(atLeast: Duration, precision: Duration) {
        self.atLeast = atLeast
        self.precision = precision
    }
}

/// The contents of `/proc/keys`: the keys that the caller is allowed to view.
///
/// This is the only place where the kernel shows a key's timeout. Reading it takes about 200 microseconds, and more on
/// a host with many keys.
///
/// The format is described in `keyrings(7)`.
public struct KeyTable: Sendable {
    /// A line of the table, which describes one key.
    public struct Entry: Sendable {
        /// When the key expires.
        @nonexhaustive
        public enum Expiry: Hashable, Sendable {
            /// The key has no timeout.
            case never
            /// The timeout has passed; the kernel keeps the key for a while, so that callers see that it has expired.
            case expired
            /// The timeout has not passed yet.
            case left(KeyTimeLeft)
        }

        /// The key's serial.
        public let serial: KeySerial
        /// When the key expires.
        public let expiry: Expiry
        /// The key's type, which the kernel cuts at nine characters.
        public let type: String
        /// Whether the key is charged to a user's quota.
        package let isCharged: Bool
        /// The rest of the line: the description, then text of the type, such as `: 12` for a payload of 12 bytes.
        public let text: String

        fileprivate func isLivingKeyring(named name: String) -> Bool {
            type == "keyring" && expiry != .expired && text.hasPrefix(name + ": ")
        }
    }

    /// In the order of their serials.
    ///
    /// Not a dictionary: Swift's runtime would need longer to build its type than to read the table.
    private let entries: [Entry]

    /// Reads the table.
    ///
    /// - Throws: ``KeyringError`` with `notLinked` (`ENOENT`) or `accessDenied` if `/proc` does not offer the file.
    public static func snapshot() throws(KeyringError) -> KeyTable {
        KeyTable(parsing: try readProcFile("/proc/keys"))
    }

    /// Reads the table; `nil` if it is hidden, for example by a container that shows an empty device instead.
    package static func ifShown() -> KeyTable? {
        var status = stat()
        guard unsafe stat("/proc/keys", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return try? snapshot()
    }

    /// Parses the text of `/proc/keys`, skipping malformed lines.
    ///
    /// A description with a newline in it can forge a line. If two lines have the same serial, both are ignored.
    package init(parsing text: String) {
        var entries: [Entry] = []
        var rest = text.utf8[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            if let entry = Entry(line: line) { entries.append(entry) }
            rest = rest[line.endIndex...].dropFirst()
        }
        entries.sort { $0.serial.rawValue < $1.serial.rawValue }
        self.entries = entries.indices.filter { position in
            let serial = entries[position].serial
            return (position == 0 || entries[position - 1].serial != serial)
                && (position + 1 == entries.count || entries[position + 1].serial != serial)
        }.map { entries[$0] }
    }

    /// The line of one key; `nil` if the caller is not allowed to view the key, or the kernel has collected it.
    public subscript(serial: KeySerial) -> Entry? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].serial.rawValue < serial.rawValue { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].serial == serial ? entries[low] : nil
    }

    /// Returns the live keyrings of that name.
    package func keyrings(named name: String) -> [Keyring] {
        entries.filter { $0.isLivingKeyring(named: name) }.map { Keyring($0.serial) }
    }

    /// Returns the live keyrings of that name that are not charged to any quota; only the kernel makes such keyrings.
    package func unchargedKeyrings(named name: String) -> [Keyring] {
        entries.filter { $0.isLivingKeyring(named: name) && !$0.isCharged }.map { Keyring($0.serial) }
    }
}

extension KeyTable.Entry {
    // For example: 0531c66f I--Q---     1 perm 0c030000     0 65534 user      description: 12
    init?(line: Substring.UTF8View) {
        var rest = line
        func field() -> Substring.UTF8View {
            rest = rest.drop { $0 == UInt8(ascii: " ") }
            let field = rest.prefix { $0 != UInt8(ascii: " ") }
            rest = rest[field.endIndex...]
            return field
        }
        let (serial, flags) = (field(), field())
        _ = field()
        let timeout = field()
        for _ in 0..<3 { _ = field() }
        let type = field()
        // The type's column is nine characters wide, and one space follows it. Further spaces belong to the description.
        guard serial.count == 8, flags.count == 7, !type.isEmpty,
            let number = UInt32(String(Substring(serial)), radix: 16), let expiry = Expiry(column: Substring(timeout)),
            let description = line.index(type.startIndex, offsetBy: 10, limitedBy: line.endIndex), rest.count > 1
        else { return nil }
        self.serial = KeySerial(rawValue: Int32(bitPattern: number))
        self.expiry = expiry
        self.isCharged = flags.contains(UInt8(ascii: "Q"))
        self.type = String(decoding: type, as: UTF8.self)
        self.text = String(decoding: line[description...], as: UTF8.self)
    }
}

extension KeyTable.Entry.Expiry {
    init?(column: Substring) {
        switch column {
        case "perm": self = .never
        case "expd": self = .expired
        default:
            // A forged line can contain anything.
            guard let unit = Self.seconds(of: column.utf8.last), let count = Int32(column.dropLast()), count >= 0 else {
                return nil
            }
            self = .left(KeyTimeLeft(atLeast: .seconds(Int64(count) * unit), precision: .seconds(unit)))
        }
    }

    private static func seconds(of unit: UInt8?) -> Int64? {
        switch unit {
        case UInt8(ascii: "s"): 1
        case UInt8(ascii: "m"): 60
        case UInt8(ascii: "h"): 3_600
        case UInt8(ascii: "d"): 86_400
        case UInt8(ascii: "w"): 604_800
        default: nil
        }
    }
}
