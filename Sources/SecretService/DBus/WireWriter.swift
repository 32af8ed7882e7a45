import Keyutils
import SecretText

/// Writes values of D-Bus's wire format, little endian.
///
/// It also counts without writing, because a message's memory has a fixed size.
struct WireWriter {
    private(set) var bytes: SecretWriter

    /// The number of bytes so far.
    var count: Int { bytes.count }

    mutating func align(to alignment: Int) {
        while count % alignment != 0 { bytes.append(0) }
    }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func number(_ value: Int) {
        align(to: 4)
        for position in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * position))) }
    }

    /// Replaces a number that has been written before.
    func replaceNumber(at place: Int, with value: Int) {
        for position in 0..<4 {
            bytes.replace(at: place + position, with: UInt8(truncatingIfNeeded: value >> (8 * position)))
        }
    }

    mutating func longNumber(_ value: UInt64) {
        align(to: 8)
        for position in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * position))) }
    }

    mutating func bool(_ value: Bool) { number(value ? 1 : 0) }

    /// Writes a string or an object path; a NUL, which neither can contain, ends it.
    mutating func string(_ text: String) {
        let end = text.utf8.firstIndex(of: 0) ?? text.utf8.endIndex
        let text = end == text.utf8.endIndex ? text : String(text[..<end])
        number(text.utf8.count)
        bytes.append(text)
        bytes.append(0)
    }

    mutating func signature(_ text: String) {
        bytes.append(UInt8(text.utf8.count))
        bytes.append(text)
        bytes.append(0)
    }

    mutating func array(alignedTo alignment: Int, _ elements: (inout WireWriter) -> Void) {
        number(0)
        let place = count - 4
        align(to: alignment)
        let start = count
        elements(&self)
        replaceNumber(at: place, with: count - start)
    }

    mutating func bytes(_ content: RawSpan) {
        number(content.byteCount)
        bytes.append(content)
    }

    mutating func strings(_ texts: [String]) {
        array(alignedTo: 4) { array in for text in texts { array.string(text) } }
    }

    /// Writes an array whose elements are structures or entries of a dictionary.
    mutating func entries<Element>(_ elements: [Element], _ write: (Element, inout WireWriter) -> Void) {
        array(alignedTo: 8) { array in
            for element in elements {
                array.align(to: 8)
                write(element, &array)
            }
        }
    }

    mutating func variant(_ value: WireValue) {
        signature(value.signature)
        value.write(&self)
    }
}

/// A value of a property or of another variant: its type, and what writes it.
struct WireValue {
    let signature: String
    let write: (inout WireWriter) -> Void

    static func string(_ text: String) -> Self { Self(signature: "s") { $0.string(text) } }
    static func bool(_ value: Bool) -> Self { Self(signature: "b") { $0.bool(value) } }
    static func time(_ seconds: UInt64) -> Self { Self(signature: "t") { $0.longNumber(seconds) } }
    static func bytes(_ content: SecretBox) -> Self {
        Self(signature: "ay") { writer in content.bytes.withBytes { writer.bytes($0) } }
    }
    static func objectPaths(_ paths: [String]) -> Self { Self(signature: "ao") { $0.strings(paths) } }
    static func stringDictionary(_ entries: [Name: Name]) -> Self {
        Self(signature: "a{ss}") { writer in
            writer.entries(entries.sorted { $0.key < $1.key }) { entry, writer in
                writer.string(entry.key.text)
                writer.string(entry.value.text)
            }
        }
    }
}
