import Keyutils
import SessionKeyring

/// Object paths of D-Bus, whose elements are letters, digits and `_`.
enum ObjectPath {
    static func isValid(_ path: String) -> Bool {
        guard path.utf8.first == UInt8(ascii: "/") else { return false }
        guard path.utf8.count > 1 else { return true }
        return path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
            !$0.isEmpty && $0.allSatisfy(isPlain)
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool { byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") }

    /// Returns the element after an ancestor of a path, such as `b` after `/a` in `/a/b/c`; `nil` if it isn't an ancestor.
    static func element(after ancestor: String, in path: String) -> String? {
        let start = ancestor == "/" ? ancestor : ancestor + "/"
        return path.hasPrefix(start) ? path.dropFirst(start.count).split(separator: "/").first.map(String.init) : nil
    }

    /// Encodes any text as one element: other bytes, and `_`, become `_` and two digits.
    static func element(_ text: String) -> String {
        guard !text.isEmpty else { return "_" }
        var element = ""
        for byte in text.utf8 {
            if isPlain(byte), byte != UInt8(ascii: "_") {
                element.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                element += "_" + byte.hexadecimal(digits: 2)
            }
        }
        return element
    }

    /// Decodes an element; `nil` unless `element(_:)` could have written it.
    static func text(_ element: some StringProtocol) -> String? {
        guard element != "_" else { return "" }
        guard let bytes = PercentCoding.bytes(of: element.utf8, escapedBy: UInt8(ascii: "_")) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self), self.element(text) == String(element) else {
            return nil
        }
        return text
    }
}
