/// A rule for the signals that a peer wants, as in `AddMatch`.
struct MatchRule: Equatable {
    private let conditions: [String: String]

    /// Parses a rule such as `type='signal',path='/a'`; `nil` if it is not one.
    init?(_ text: String) {
        var conditions: [String: String] = [:]
        var rest = text.utf8[...]
        while !rest.isEmpty {
            guard let equals = rest.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            guard let key = String(rest[..<equals]),
                let (value, after) = Self.value(rest[rest.index(after: equals)...]),
                Self.isKnown(key), conditions.updateValue(value, forKey: key) == nil
            else { return nil }
            rest = after
        }
        self.conditions = conditions
    }

    /// Reads a value up to a comma; quotes protect commas in it.
    private static func value(_ bytes: Substring.UTF8View) -> (String, Substring.UTF8View)? {
        var value: [UInt8] = []
        var isQuoted = false
        var rest = bytes
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "'"): isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted: return (String(decoding: value, as: UTF8.self), rest)
            case UInt8(ascii: "\\") where !isQuoted && rest.first == UInt8(ascii: "'"):
                value.append(UInt8(ascii: "'"))
                rest.removeFirst()
            default: value.append(byte)
            }
        }
        return isQuoted ? nil : (String(decoding: value, as: UTF8.self), rest)
    }

    private static func isKnown(_ key: String) -> Bool {
        [
            "type", "sender", "interface", "member", "path", "path_namespace", "destination", "eavesdrop",
        ].contains(key) || key.hasPrefix("arg")
    }

    /// Returns whether the rule matches a signal.
    ///
    /// - Parameters:
    ///   - senders: the names of the sender.
    ///   - arguments: the body's arguments that are strings or object paths, by position.
    func matches(_ signal: MessageHeader, senders: [String], arguments: [String]) -> Bool {
        conditions.allSatisfy { key, value in
            switch key {
            case "type": value == "signal"
            case "sender": senders.contains(value)
            case "interface": value == signal.interface
            case "member": value == signal.member
            case "path": value == signal.path
            case "path_namespace": value == "/" || signal.path == value || signal.path?.hasPrefix("\(value)/") == true
            case "destination": false
            case "eavesdrop": true
            default: matches(argument: key, value, arguments)
            }
        }
    }

    /// Compares one argument, for a key such as `arg0`.
    ///
    /// Other keys, such as `arg0path`, match none of our signals.
    private func matches(argument key: String, _ value: String, _ arguments: [String]) -> Bool {
        guard let position = Int(key.dropFirst(3)), arguments.indices.contains(position) else { return false }
        return arguments[position] == value
    }
}
