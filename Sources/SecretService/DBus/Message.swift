import Keyutils
import SecretText

/// The names and the signature in a message's header.
struct MessageHeader {
    enum Kind: UInt8 {
        case call = 1, reply, error, signal
        /// A kind that the specification doesn't have yet. Such a message is ignored.
        case other
    }

    var kind: Kind
    var expectsReply = true
    var serial: UInt32 = 0
    var path: String?
    var interface: String?
    var member: String?
    var errorName: String?
    var replySerial: UInt32?
    var destination: String?
    var sender: String?
    var signature = ""

    /// The header fields that are texts: their codes, their types and their places.
    fileprivate static let texts: [(code: UInt8, type: String, field: any WritableKeyPath<Self, String?> & Sendable)] =
        [
            (1, "o", \.path), (2, "s", \.interface), (3, "s", \.member), (4, "s", \.errorName), (6, "s", \.destination),
            (7, "s", \.sender),
        ]
    fileprivate static let (replySerial, signature) = (UInt8(5), UInt8(8))
}

/// A message that a peer has sent.
struct IncomingMessage {
    let header: MessageHeader
    /// Reads the body; `nil` if the body was too large, and was thrown away.
    let body: WireReader?
    /// The number of bytes that are kept.
    let size: Int

    /// Parses a whole message, whose lengths ``MessageFrame`` has checked.
    init(_ message: SecretBox, _ frame: MessageFrame) throws(WireError) {
        var reader = WireReader(message, isBigEndian: frame.isBigEndian, range: 0..<frame.bodyStart)
        _ = try reader.byte()
        let (kind, flags) = (try reader.byte(), try reader.byte())
        guard kind > 0, try reader.byte() == 1 else { throw WireError() }
        _ = try reader.number()
        var header = MessageHeader(kind: .init(rawValue: kind) ?? .other)
        header.serial = try reader.number()
        header.expectsReply = header.kind == .call && flags & 1 == 0
        try reader.array(alignedTo: 8) { fields throws(WireError) in
            try fields.align(to: 8)
            try Self.readField(&fields, &header)
        }
        try reader.align(to: 8)
        guard header.serial != 0, header.isComplete else { throw WireError() }
        (self.header, size) = (header, message.count)
        body =
            frame.keepsBody
            ? WireReader(message, isBigEndian: frame.isBigEndian, range: frame.bodyStart..<frame.count) : nil
    }

    private static func readField(_ fields: inout WireReader, _ header: inout MessageHeader) throws(WireError) {
        let code = try fields.byte()
        let type = String(decoding: try fields.variant().bytes, as: UTF8.self)
        guard code != 0 else { throw WireError() }
        if let text = MessageHeader.texts.first(where: { $0.code == code }) {
            guard type == text.type else { throw WireError() }
            let name = type == "o" ? try fields.objectPath() : try fields.string()
            guard type == "o" || 1...255 ~= name.utf8.count else { throw WireError() }
            header[keyPath: text.field] = name
        } else if code == MessageHeader.replySerial || code == MessageHeader.signature {
            guard type == (code == MessageHeader.signature ? "g" : "u") else { throw WireError() }
            if type == "u" {
                header.replySerial = try fields.number()
            } else {
                header.signature = String(decoding: try fields.signature().bytes, as: UTF8.self)
            }
        } else if let type = TypeSignature(type.utf8) {
            try fields.skip(type)
        }
    }
}

extension MessageHeader {
    /// Whether the fields that its kind requires are there.
    fileprivate var isComplete: Bool {
        switch kind {
        case .call: path != nil && member != nil
        case .signal: path != nil && interface != nil && member != nil
        case .reply: replySerial != nil
        case .error: replySerial != nil && errorName != nil
        case .other: true
        }
    }

    /// Encodes a message with this header.
    func encode(_ body: (inout WireWriter) -> Void = { _ in }) -> SecretBox {
        SecretBox(SecretBytes { bytes in write(&bytes, body) })
    }

    private func write(_ bytes: inout SecretWriter, _ body: (inout WireWriter) -> Void) {
        var writer = WireWriter(bytes: bytes)
        writer.byte(UInt8(ascii: "l"))
        writer.byte(kind.rawValue)
        // Our own calls never start a program that could answer them.
        writer.byte((expectsReply ? 0 : 1) | (kind == .call ? 2 : 0))
        writer.byte(1)
        writer.number(0)
        writer.number(Int(serial))
        writer.array(alignedTo: 8) { fields in
            for (code, type, field) in Self.texts {
                guard let text = self[keyPath: field] else { continue }
                fields.align(to: 8)
                fields.byte(code)
                fields.signature(type)
                fields.string(text)
            }
            if let replySerial {
                fields.align(to: 8)
                fields.byte(Self.replySerial)
                fields.signature("u")
                fields.number(Int(replySerial))
            }
            if !signature.isEmpty {
                fields.align(to: 8)
                fields.byte(Self.signature)
                fields.signature("g")
                fields.signature(signature)
            }
        }
        writer.align(to: 8)
        let start = writer.count
        body(&writer)
        writer.replaceNumber(at: 4, with: writer.count - start)
        bytes = writer.bytes
    }
}

/// The lengths of a message, from its first 16 bytes.
struct MessageFrame {
    static let prefix = 16
    /// The specification's limit for a message.
    private static let longest = 128 << 20
    /// The most bytes of header fields that we read.
    private static let longestHeader = 256 << 10
    /// The most bytes of a body that we read: more than the largest secret and its attributes.
    private static let longestBody = 512 << 10

    let isBigEndian: Bool
    let bodyStart: Int
    /// The number of bytes with the body.
    let count: Int
    let keepsBody: Bool

    /// - Throws: an error if the message can't be read, so that nothing after it can be read either.
    init(_ prefix: RawSpan) throws(WireError) {
        switch prefix[0] {
        case UInt8(ascii: "l"): isBigEndian = false
        case UInt8(ascii: "B"): isBigEndian = true
        default: throw WireError()
        }
        let box = SecretBox(copying: prefix)
        var reader = WireReader(box, isBigEndian: isBigEndian, range: 4..<Self.prefix)
        let body = Int(try reader.number())
        _ = try reader.number()
        let fields = Int(try reader.number())
        bodyStart = (Self.prefix + fields + 7) & -8
        count = bodyStart + body
        guard fields > 0, fields <= Self.longestHeader, count <= Self.longest else { throw WireError() }
        keepsBody = body <= Self.longestBody
    }
}

/// Joins the bytes from a peer into messages.
struct MessageAssembler {
    private var prefix: [UInt8] = []
    private var current: (frame: MessageFrame, memory: SecretBox, count: Int)?

    /// Whether a message has begun, but not ended.
    var isInside: Bool { count > 0 }
    /// The number of bytes that are kept.
    var count: Int { current.map { min($0.count, $0.memory.count) } ?? prefix.count }

    /// Takes bytes up to the end of a message.
    ///
    /// - Returns: the number of bytes taken, and the message if it is complete.
    /// - Throws: an error after which the connection can't be used.
    mutating func take(_ bytes: RawSpan) throws(WireError) -> (count: Int, message: IncomingMessage?) {
        guard let (frame, memory, count) = current else {
            let taken = min(MessageFrame.prefix - prefix.count, bytes.byteCount)
            for position in 0..<taken { prefix.append(bytes[position]) }
            guard prefix.count == MessageFrame.prefix else { return (taken, nil) }
            let frame = unsafe try MessageFrame(prefix.span.bytes)
            let memory = SecretBox(SecretBytes(zeros: frame.keepsBody ? frame.count : frame.bodyStart))
            unsafe memory.bytes.overwrite(at: 0, with: prefix.span.bytes)
            current = (frame, memory, prefix.count)
            prefix = []
            return (taken, nil)
        }
        let taken = min(frame.count - count, bytes.byteCount)
        let kept = min(taken, memory.count - count)
        if kept > 0 { memory.bytes.overwrite(at: count, with: bytes.extracting(first: kept)) }
        guard count + taken == frame.count else {
            current?.count = count + taken
            return (taken, nil)
        }
        current = nil
        return (taken, try IncomingMessage(memory, frame))
    }
}
