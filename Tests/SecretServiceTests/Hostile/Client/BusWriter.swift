/// Writes values of D-Bus's wire format.
///
/// The suite does not use the service's own code for this, so that a mistake there can't hide itself.
struct BusWriter {
    private(set) var bytes: [UInt8] = []
    private let isBigEndian: Bool

    init(isBigEndian: Bool = false) {
        self.isBigEndian = isBigEndian
    }

    mutating func align(to alignment: Int) {
        while bytes.count % alignment != 0 { bytes.append(0) }
    }

    /// Appends bytes that are written already, and that begin at the same alignment.
    mutating func append(_ more: [UInt8]) { bytes += more }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func number(_ value: UInt32) {
        align(to: 4)
        bytes += word(value)
    }

    mutating func string(_ text: String) {
        number(UInt32(text.utf8.count))
        bytes += text.utf8
        bytes.append(0)
    }

    mutating func signature(_ text: String) {
        bytes.append(UInt8(truncatingIfNeeded: text.utf8.count))
        bytes += text.utf8
        bytes.append(0)
    }

    /// Writes a variant that holds a string.
    mutating func variant(_ text: String) {
        signature("s")
        string(text)
    }

    mutating func data(_ data: [UInt8]) {
        number(UInt32(data.count))
        bytes += data
    }

    /// Writes an array; `elements` writes its content.
    mutating func array(alignedTo alignment: Int, _ elements: (inout BusWriter) -> Void) {
        number(0)
        let count = bytes.count
        align(to: alignment)
        let start = bytes.count
        elements(&self)
        bytes.replaceSubrange(count - 4..<count, with: word(UInt32(bytes.count - start)))
    }

    mutating func dictionary(_ entries: [String: String]) { dictionary(entries.map { ($0.key, $0.value) }) }

    mutating func dictionary(_ entries: [(String, String)]) {
        array(alignedTo: 8) { array in
            for (key, value) in entries {
                array.align(to: 8)
                array.string(key)
                array.string(value)
            }
        }
    }

    private func word(_ value: UInt32) -> [UInt8] {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return isBigEndian ? bytes.reversed() : bytes
    }

    /// Encodes a method call.
    ///
    /// - Parameter flags: 1 if no answer is wanted.
    static func call(
        _ member: String, interface: String? = nil, at path: String, to destination: String?, signature: String = "",
        serial: UInt32, flags: UInt8 = 0, isBigEndian: Bool = false, _ body: (inout BusWriter) -> Void = { _ in }
    ) -> [UInt8] {
        var content = BusWriter(isBigEndian: isBigEndian)
        body(&content)
        var writer = BusWriter(isBigEndian: isBigEndian)
        writer.bytes = [UInt8(ascii: isBigEndian ? "B" : "l"), 1, flags, 1]
        writer.number(UInt32(content.bytes.count))
        writer.number(serial)
        let texts: [(UInt8, String, String?)] = [
            (1, "o", path), (2, "s", interface), (3, "s", member), (6, "s", destination),
        ]
        writer.array(alignedTo: 8) { fields in
            for case (let code, let type, let text?) in texts {
                fields.align(to: 8)
                fields.byte(code)
                fields.signature(type)
                fields.string(text)
            }
            guard !signature.isEmpty else { return }
            fields.align(to: 8)
            fields.byte(8)
            fields.signature("g")
            fields.signature(signature)
        }
        writer.align(to: 8)
        return writer.bytes + content.bytes
    }
}
