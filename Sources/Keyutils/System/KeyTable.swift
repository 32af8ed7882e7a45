import Glibc

/// How much longer a key lives, as the kernel tells it: rounded down to the unit shown.
public struct KeyTimeLeft: Hashable, Sendable {
    /// At least this much is left.
    public let atLeast: Duration
    /// Less than ``atLeast`` plus this is left: one second, minute, hour, day or week.
    public let precision: Duration

    /// What a kernel, or a backend that stands in for one, tells.
    public init(atLeast: Duration, precision: Duration) {
        self.atLeast = atLeast
        self.precision = precision
    }
}

/// What `/proc/keys` shows of the keys that the caller may view: the one place where the kernel tells a key's timeout.
///
/// A look costs some 200 microseconds, and more on a host with many keys.
///
/// The format is described in `keyrings(7)`.
public struct KeyTable: Sendable {
    /// A key's line.
    public struct Entry: Hashable, Sendable {
        /// When the key expires.
        @nonexhaustive
        public enum Expiry: Hashable, Sendable {
            /// It has no timeout.
            case never
            /// Its timeout has passed; the kernel keeps it a while for those who ask.
            case expired
            /// Its timeout is yet to come.
            case left(KeyTimeLeft)
        }

        /// The key's serial.
        public let serial: KeySerial
        /// When it expires.
        public let expiry: Expiry
        /// The key's type, cut at nine characters by the kernel.
        public let type: String
        /// Whether a user's quota is charged for it.
        package let isCharged: Bool
        /// The rest of the line: the description, then what the type adds, such as `: 12` for a payload of 12 bytes.
        public let text: String

        fileprivate func isLivingKeyring(named name: String) -> Bool {
            type == "keyring" && expiry != .expired && text.hasPrefix(name + ": ")
        }
    }

    private let entries: [KeySerial: Entry]

    /// Reads the table.
    ///
    /// - Throws: ``KeyringError`` with `notLinked` (`ENOENT`) or `accessDenied` where `/proc` does not offer it.
    public static func snapshot() throws(KeyringError) -> KeyTable {
        KeyTable(parsing: try readProcFile("/proc/keys"))
    }

    /// The table; `nil` where it is hidden, be it by a container that shows an empty device in its place.
    package static func ifShown() -> KeyTable? {
        var status = stat()
        guard unsafe stat("/proc/keys", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return try? snapshot()
    }

    /// Parses the text of `/proc/keys`.
    ///
    /// Lines that are not in its form are passed over.
    ///
    /// A description with a newline in it can forge a line, so of two lines with one serial neither is believed.
    package init(parsing text: String) {
        var entries: [KeySerial: Entry] = [:]
        var doubted: Set<KeySerial> = []
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            guard let entry = Entry(line: line) else { continue }
            if entries.updateValue(entry, forKey: entry.serial) != nil { doubted.insert(entry.serial) }
        }
        for serial in doubted { entries[serial] = nil }
        self.entries = entries
    }

    /// The line of one key; `nil` where the caller may not view it or the kernel has collected it.
    public subscript(serial: KeySerial) -> Entry? { entries[serial] }

    /// The living keyrings of that name.
    package func keyrings(named name: String) -> [Keyring] {
        entries.values.filter { $0.isLivingKeyring(named: name) }.map { Keyring($0.serial) }
    }

    /// The living keyrings of that name that nobody's quota is charged for, as the kernel alone makes them.
    package func unchargedKeyrings(named name: String) -> [Keyring] {
        entries.values.filter { $0.isLivingKeyring(named: name) && !$0.isCharged }.map { Keyring($0.serial) }
    }
}

extension KeyTable.Entry {
    // 0531c66f I--Q---     1 perm 0c030000     0 65534 user      description: 12
    init?(line: Substring.UTF8View) {
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 8)
        // The type's column is nine wide and has one space behind it; further spaces belong to the description.
        guard fields.count == 9, fields[0].count == 8, fields[1].count == 7,
            let number = UInt32(String(Substring(fields[0])), radix: 16),
            let expiry = Expiry(column: Substring(fields[3])),
            let description = line.index(fields[7].startIndex, offsetBy: 10, limitedBy: line.endIndex)
        else { return nil }
        self.serial = KeySerial(rawValue: Int32(bitPattern: number))
        self.expiry = expiry
        self.isCharged = fields[1].contains(UInt8(ascii: "Q"))
        self.type = String(decoding: fields[7], as: UTF8.self)
        self.text = String(decoding: line[description...], as: UTF8.self)
    }
}

extension KeyTable.Entry.Expiry {
    init?(column: Substring) {
        switch column {
        case "perm": self = .never
        case "expd": self = .expired
        default:
            let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
            // A forged line may say anything.
            guard let unit = column.last.flatMap({ units[$0] }), let count = Int32(column.dropLast()), count >= 0 else {
                return nil
            }
            self = .left(KeyTimeLeft(atLeast: .seconds(Int64(count) * unit), precision: .seconds(unit)))
        }
    }
}
