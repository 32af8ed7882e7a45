/// A message of a service, whose header is checked strictly.
struct BusAnswer {
    /// A violation of the wire format.
    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    /// 2 for a result, 3 for an error, 4 for a signal.
    private(set) var kind: UInt8 = 0
    private(set) var replySerial: UInt32 = 0
    private(set) var errorName: String?
    private(set) var member: String?
    private(set) var signature = ""
    private(set) var body: BusReader

    /// The size of the message that begins with these bytes; `nil` if more of them are needed.
    static func size(_ bytes: some RandomAccessCollection<UInt8>) throws(Malformed) -> Int? {
        guard bytes.count >= 16 else { return nil }
        var reader = BusReader(Array(bytes.prefix(16)))
        guard try reader.byte() == UInt8(ascii: "l"), (2...4).contains(try reader.byte()), try reader.byte() <= 3,
            try reader.byte() == 1
        else { throw Malformed(description: "the first bytes of a message") }
        let (body, serial, fields) = (try reader.number(), try reader.number(), try reader.number())
        guard serial != 0, fields <= 1 << 26 else { throw Malformed(description: "the serial or the header's length") }
        let size = (16 + Int(fields) + 7) & -8 + Int(body)
        guard size <= 1 << 27 else { throw Malformed(description: "a message of \(size) bytes") }
        return size
    }

    /// Parses a whole message.
    init(_ bytes: [UInt8]) throws(Malformed) {
        var reader = BusReader(bytes)
        reader.skip(1)
        body = reader
        kind = try reader.byte()
        reader.skip(10)
        let end = 16 + Int(try reader.number())
        while reader.offset < end {
            try reader.align(to: 8)
            let (code, type) = (try reader.byte(), try reader.signature())
            switch (code, type) {
            case (1, "o"), (2, "s"), (6, "s"), (7, "s"): _ = try reader.string()
            case (3, "s"): member = try reader.string()
            case (4, "s"): errorName = try reader.string()
            case (5, "u"): replySerial = try reader.number()
            case (8, "g"): signature = try reader.signature()
            default: throw Malformed(description: "a header field \(code) of type \(type)")
            }
        }
        guard reader.offset == end, kind == 4 || replySerial != 0, (kind == 3) == (errorName != nil) else {
            throw Malformed(description: "the header fields")
        }
        try reader.align(to: 8)
        body = reader
    }
}

/// Reads values of D-Bus's wire format, little endian.
struct BusReader {
    private let bytes: [UInt8]
    private(set) var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { offset == bytes.count }
    /// The bytes that have not been read.
    var rest: [UInt8] { Array(bytes[offset...]) }

    mutating func skip(_ count: Int) { offset += count }

    private mutating func take(_ count: Int) throws(BusAnswer.Malformed) -> ArraySlice<UInt8> {
        guard count <= bytes.count - offset else { throw BusAnswer.Malformed(description: "a length of \(count)") }
        defer { offset += count }
        return bytes[offset..<(offset + count)]
    }

    mutating func align(to alignment: Int) throws(BusAnswer.Malformed) {
        while offset % alignment != 0 {
            guard try byte() == 0 else { throw BusAnswer.Malformed(description: "the padding") }
        }
    }

    mutating func byte() throws(BusAnswer.Malformed) -> UInt8 { try take(1).first ?? 0 }

    mutating func number() throws(BusAnswer.Malformed) -> UInt32 {
        try align(to: 4)
        return try take(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    mutating func string() throws(BusAnswer.Malformed) -> String { try text(Int(number())) }
    mutating func signature() throws(BusAnswer.Malformed) -> String { try text(Int(byte())) }
    mutating func data() throws(BusAnswer.Malformed) -> [UInt8] { Array(try take(Int(number()))) }

    mutating func strings() throws(BusAnswer.Malformed) -> [String] {
        let end = Int(try number()) + offset
        var texts: [String] = []
        while offset < end { texts.append(try string()) }
        guard offset == end else { throw BusAnswer.Malformed(description: "an array's length") }
        return texts
    }

    private mutating func text(_ count: Int) throws(BusAnswer.Malformed) -> String {
        guard let text = String(validating: try take(count), as: UTF8.self), !text.utf8.contains(0), try byte() == 0
        else {
            throw BusAnswer.Malformed(description: "a string")
        }
        return text
    }
}
