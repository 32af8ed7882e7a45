import Keyutils

/// The facts about an item's value that the store keeps in one hidden key next to the item: its companion.
///
/// They count only for the value that they were recorded for: for the key with that serial, and only as long as it
/// holds these bytes. A plain `set` of the same bytes makes another key, and a key can get other bytes. A record that
/// isn't understood counts as absent.
///
/// **Who writes them.** A process that writes facts holds the item's lease: from before it places the value until the
/// facts are in place, or, for a refusal, from before it looks at the value. Deletions and writes under the lease
/// remove the companion. So facts are written only in a namespace whose writers use leases. The facts come after the
/// value, so they are never about a value that nobody can see yet.
///
/// **Interleavings and deaths.** In every case, no facts apply to another value:
///
/// - The writer dies, or loses its lease, between value and facts: the value has no facts, so a caller that refreshes
///   fetches it again.
/// - A `clear`, which takes no lease, comes between value and facts, or during a refusal: the writer removes its
///   companion again. If it dies before that, the companion remains, without an item, and nobody reads it.
/// - A process dies or loses its lease after it has deleted or replaced the item, and before it removes the companion:
///   the companion remains, too. A `deleteUnchanged` that began before the namespace's writers used leases can also
///   leave it.
/// - A plain `set` comes in between: the facts name a key that is gone, so they don't count for the new value.
/// - A fetch stores a new value while the old one is being refused: the refusal finds another key and does nothing, or
///   it comes first and is removed with the old value. If the fetch returns the bytes that were refused meanwhile, it
///   stores nothing.
/// - Another process refuses the value that is being stored: it waits for the lease, so its refusal comes last.
/// - The process that changes the timeouts dies in between: a refusal lasts at least as long as the value. Other facts
///   can outlive a value whose life should have become longer.
///
/// A companion that remains ends with its own timeout: that of the item, or at most one second more. The companion of a
/// refusal can last longer by the precision of `/proc/keys`, which shows long timeouts in hours or days. It has no
/// timeout if `/proc/keys` is hidden, or after the death of a process that changed the timeouts.
///
/// A record has the fewest bytes possible, and there is exactly one record of the same facts about the same value:
///
/// | bytes | content |
/// |---|---|
/// | 1 | the version |
/// | 1 | which of the following parts there are |
/// | 4 | the serial of the value's key |
/// | 8 | a hash of the value's bytes |
/// | about 6 | the end of the freshness |
/// | about 6 | the end of the usability |
/// | 8 | a hash of the command line |
/// | any | the number of texts, and the names and values in the order of the names, each after its length |
/// | any | the item's description, if the companion's own description has only a hash of it |
///
/// Numbers of fixed size are little-endian. The others, such as times and lengths, have 7 bits in each byte, lowest
/// first, and the top bit of all bytes but the last one is set.
package struct ItemFacts: Equatable, Sendable {
    /// For how long something is true of a value.
    package enum Validity: Equatable, Sendable {
        case never
        /// For as long as the value is stored.
        case always
        /// Until this millisecond since 1970 (``SystemTime``).
        case until(UInt64)

        package func holds(at time: UInt64) -> Bool {
            switch self {
            case .never: false
            case .always: true
            case .until(let end): time < end
            }
        }
    }

    /// The first part of a companion's description.
    static let word = "facts:"
    static let mostTexts = 12
    /// The largest size of a text's name or value, in bytes.
    static let longestText = 1_024

    /// Whether the value was refused, for example by the server that the token is for.
    package var isRefused = false
    /// How long the value isn't fetched again.
    package var freshness = Validity.never
    /// How long others get the value while somebody fetches it again.
    package var usability = Validity.never
    /// A hash of the command line that printed the value; `nil` if no command did, or if it is unknown.
    package var command: UInt64?
    /// Texts that a client of the Secret Service gave, such as a label.
    ///
    /// If there are too many, or if one is too long, they are all left out of the record.
    package var texts: [Name: Name] = [:]

    package init(
        isRefused: Bool = false, freshness: Validity = .never, usability: Validity = .never, command: UInt64? = nil,
        texts: [Name: Name] = [:]
    ) {
        (self.isRefused, self.freshness, self.usability) = (isRefused, freshness, usability)
        (self.command, self.texts) = (command, texts)
    }
}

extension ItemFacts {
    /// Whether the facts say when the value is fetched again.
    package var isOfRefreshed: Bool { isRefused || freshness != .never || usability != .never }
}

extension ItemFacts {
    private static let version: UInt8 = 2

    /// Reads the facts about the value with this key and hash.
    ///
    /// The result is `nil` if the bytes aren't a record, or if the record is about another item or value.
    package init?(record: RawSpan, of item: ItemIdentity, key serial: Int32, hash: UInt64) {
        let facts = unsafe record.withUnsafeBytes { bytes in
            var reader = unsafe RecordReader(rest: bytes[...])
            return Self(&reader, of: item, key: serial, hash: hash)
        }
        guard let facts else { return nil }
        self = facts
    }

    private init?(_ reader: inout RecordReader, of item: ItemIdentity, key serial: Int32, hash: UInt64) {
        guard reader.byte() == Self.version, let flags = reader.byte(), flags < 0x80,
            reader.fixed(bytes: 4) == UInt64(UInt32(bitPattern: serial)), reader.fixed(bytes: 8) == hash,
            let freshness = reader.validity(flags >> 1), let usability = reader.validity(flags >> 3)
        else { return nil }
        self.init(isRefused: flags & 1 != 0, freshness: freshness, usability: usability)
        if flags & 0x20 != 0 {
            guard let command = reader.fixed(bytes: 8) else { return nil }
            self.command = command
        }
        if flags & 0x40 != 0 {
            guard let texts = reader.texts() else { return nil }
            self.texts = texts
        }
        guard reader.endsWith(Self.name(of: item)) else { return nil }
    }

    /// Returns the record of these facts about the value with this key and hash.
    package func record(of item: ItemIdentity, key serial: Int32, hash: UInt64) -> [UInt8] {
        let texts = hasRoomForTexts ? texts.sorted { $0.key < $1.key } : []
        let flags =
            (isRefused ? 1 : 0) | freshness.code << 1 | usability.code << 3 | (command == nil ? 0 : 0x20)
            | (texts.isEmpty ? 0 : 0x40)
        var record = [Self.version, flags]
        record.append(fixed: UInt64(UInt32(bitPattern: serial)), bytes: 4)
        record.append(fixed: hash, bytes: 8)
        if case .until(let end) = freshness { record.append(number: end) }
        if case .until(let end) = usability { record.append(number: end) }
        if let command { record.append(fixed: command, bytes: 8) }
        if !texts.isEmpty { record.append(number: UInt64(texts.count)) }
        for text in texts.flatMap({ [$0.key.text.utf8, $0.value.text.utf8] }) {
            record.append(number: UInt64(text.count))
            record += text
        }
        return record + Self.name(of: item).utf8
    }

    private var hasRoomForTexts: Bool {
        texts.count <= Self.mostTexts
            && texts.allSatisfy { max($0.key.text.utf8.count, $0.value.text.utf8.count) <= Self.longestText }
    }

    /// The item's description, if it is too long to be a part of its companion's description.
    private static func name(of item: ItemIdentity) -> String {
        let isTooLong = word.utf8.count + item.keyDescription.utf8.count > ItemIdentity.largestDescription
        return isTooLong ? item.keyDescription : ""
    }
}

extension ItemFacts.Validity {
    fileprivate var code: UInt8 {
        switch self {
        case .never: 0
        case .always: 1
        case .until: 2
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(fixed number: UInt64, bytes: UInt64) {
        for place in 0..<bytes { append(UInt8(truncatingIfNeeded: number >> (8 * place))) }
    }

    fileprivate mutating func append(number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}

/// Takes one part after the other from a record; `nil` for a part that isn't as ``ItemFacts`` writes it.
@safe private struct RecordReader {
    // Not an array, whose type Swift's runtime would build at each start of a command.
    private var rest: Slice<UnsafeRawBufferPointer>

    init(rest: Slice<UnsafeRawBufferPointer>) { unsafe self.rest = rest }

    mutating func byte() -> UInt8? { unsafe rest.popFirst() }

    func endsWith(_ text: String) -> Bool { unsafe rest.elementsEqual(text.utf8) }

    mutating func fixed(bytes: Int) -> UInt64? {
        unsafe take(UInt64(bytes))?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func number() -> UInt64? {
        var number: UInt64 = 0
        for place in 0..<10 as Range<UInt64> {
            // The tenth byte has only the number's top bit.
            guard let byte = byte(), place < 9 || byte <= 1 else { return nil }
            number |= UInt64(byte & 0x7F) << (7 * place)
            if byte < 0x80 { return byte == 0 && place > 0 ? nil : number }
        }
        return nil
    }

    mutating func validity(_ code: UInt8) -> ItemFacts.Validity? {
        switch code & 3 {
        case 0: .never
        case 1: .always
        case 2: number().map { .until($0) }
        default: nil
        }
    }

    mutating func texts() -> [Name: Name]? {
        guard let count = number(), count > 0, count <= ItemFacts.mostTexts else { return nil }
        var (texts, last): ([Name: Name], Name?) = ([:], nil)
        for _ in 0..<count {
            guard let name = text(), let value = text(), last.map({ $0 < name }) ?? true else {
                return nil
            }
            texts[name] = value
            last = name
        }
        return texts
    }

    private mutating func text() -> Name? {
        guard let count = number(), count <= ItemFacts.longestText, let bytes = unsafe take(count) else { return nil }
        return unsafe String(validating: bytes, as: UTF8.self).map { Name($0) }
    }

    private mutating func take(_ count: UInt64) -> Slice<UnsafeRawBufferPointer>? {
        guard unsafe count <= rest.count else { return nil }
        defer { unsafe rest = rest.dropFirst(Int(count)) }
        return unsafe rest.prefix(Int(count))
    }
}
