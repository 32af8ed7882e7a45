package import Keyutils

/// A part of a JSON text, selected by a path such as `tokens.0.access`.
package enum JSONField {
    /// The result of a search.
    package enum Finding: ~Copyable {
        /// The text of a string, or any other value in its JSON form, without white space between tokens.
        case found(SecretBytes)
        case nothing
        /// A string that contains half of a surrogate pair.
        case noText
        case notJSON
    }

    package static func find(_ path: JSONPath, in bytes: RawSpan) -> Finding {
        guard bytes.isText else { return .notJSON }
        return unsafe bytes.withUnsafeBytes { bytes in
            do throws(JSONText.Malformed) {
                guard let range = try unsafe JSONText.range(of: path, in: bytes) else { return .nothing }
                return unsafe finding(UnsafeRawBufferPointer(rebasing: bytes[range]))
            } catch {
                return .notJSON
            }
        }
    }

    private static func finding(_ value: UnsafeRawBufferPointer) -> Finding {
        guard unsafe value.first == UInt8(ascii: "\"") else { return unsafe .found(compact(value)) }
        var isText = false
        let text = SecretBytes(capacity: value.count - 2) { text in
            isText = unsafe JSONString(UnsafeRawBufferPointer(rebasing: value.dropFirst().dropLast())).write(to: &text)
        }
        return isText ? .found(text) : .noText
    }

    /// Copies a value without the white space between its tokens, so that it is on one line.
    private static func compact(_ value: UnsafeRawBufferPointer) -> SecretBytes {
        SecretBytes(capacity: value.count) { line in
            var isInString = false
            var isEscaped = false
            for offset in 0..<value.count {
                let byte = unsafe value[offset]
                guard isInString || !byte.isWhiteSpace else { continue }
                line.append(byte)
                if byte == UInt8(ascii: "\""), !isEscaped { isInString.toggle() }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            }
        }
    }
}

/// A path into JSON: names and array positions, separated by dots; as in `jq`, it can start with a dot.
package struct JSONPath: Sendable {
    struct Step: Sendable {
        let name: [UInt8]
        /// The position in an array, if the name is a number.
        let position: Int?
    }

    private let steps: [Step]

    /// The path to the whole text.
    package static let root = JSONPath(steps: [])

    private init(steps: [Step]) {
        self.steps = steps
    }

    package init(_ text: String) {
        var bytes = Array(text.utf8)[...]
        if bytes.first == UInt8(ascii: ".") { bytes.removeFirst() }
        steps = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { name in
            Step(name: Array(name), position: Self.position(name))
        }
    }

    var count: Int { steps.count }

    subscript(_ index: Int) -> Step { steps[index] }

    private static func position(_ name: ArraySlice<UInt8>) -> Int? {
        guard name.allSatisfy({ $0.isDigit }) else { return nil }
        return Int(String(decoding: name, as: UTF8.self))
    }
}
