import Keyutils

/// A rule for the signals that a peer wants, as in `AddMatch`.
///
/// It knows the keys that clients of a Secret Service use. A rule with another key matches nothing.
struct MatchRule: Equatable {
    private let conditions: [Name: Name]

    /// Parses a rule such as `type='signal',path='/a'`; `nil` if it is not one.
    ///
    /// A value with a comma or a quote is refused: none of our signals has one.
    init?(_ text: String) {
        var conditions: [Name: Name] = [:]
        for condition in text.utf8.split(separator: UInt8(ascii: ",")) {
            let parts = condition.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let key = String(parts[0]), let value = Self.value(parts[1]), !key.isEmpty,
                conditions.updateValue(Name(value), forKey: Name(key)) == nil
            else { return nil }
        }
        self.conditions = conditions
    }

    /// Returns a value without its quotes; `nil` if one of them is missing.
    private static func value(_ bytes: Substring.UTF8View) -> String? {
        let quote = UInt8(ascii: "'")
        let isQuoted = bytes.count > 1 && bytes.first == quote && bytes.last == quote
        let value = isQuoted ? bytes.dropFirst().dropLast() : bytes
        return value.contains(quote) ? nil : String(value)
    }

    /// Returns whether the rule matches a signal.
    ///
    /// - Parameters:
    ///   - senders: the names of the sender.
    ///   - arguments: the body's arguments that are strings or object paths, by position.
    func matches(_ signal: MessageHeader, senders: [String], arguments: [String]) -> Bool {
        conditions.allSatisfy { condition in
            let value = condition.value.text
            return switch condition.key.text {
            case "type": value == "signal"
            case "sender": senders.contains(value)
            case "interface": value == signal.interface
            case "member": value == signal.member
            case "path": value == signal.path
            case "path_namespace": value == "/" || signal.path == value || signal.path?.hasPrefix("\(value)/") == true
            case "arg0": value == arguments.first
            default: false
            }
        }
    }
}
