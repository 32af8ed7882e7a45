import Keyutils

/// Two names of different bytes that are equal as characters, or equal but for their case.
package struct NamePair: Sendable, CustomStringConvertible {
    package let first: String
    package let second: String
    /// Whether the names differ in case.
    package let isCase: Bool

    private static let canonical = [
        ["\u{E9}", "e\u{301}"], ["\u{C5}", "\u{212B}", "A\u{30A}"], ["K", "\u{212A}"], ["\u{3A9}", "\u{2126}"],
        ["\u{AC01}", "\u{AC00}\u{11A8}", "\u{1100}\u{1161}\u{11A8}"], ["a\u{301}\u{316}", "a\u{316}\u{301}"],
        ["\u{344}", "\u{308}\u{301}"], [";", "\u{37E}"], ["\u{2260}", "=\u{338}"], ["\u{F900}", "\u{8C48}"],
    ]
    private static let cases = [
        ["k", "K"], ["\u{E9}", "\u{C9}"], ["k", "\u{212A}"], ["s", "\u{17F}"], ["i", "\u{130}"],
    ]
    private static let parts = [
        "", "", "a", "x-y", "\u{301}", "\u{338}", "\u{FEFF}", "\u{FE0F}", "\u{200D}", "\u{1F3FD}", "\u{65E5}",
    ]

    package init(first: String, second: String, isCase: Bool) {
        (self.first, self.second, self.isCase) = (first, second, isCase)
    }

    package init(using random: inout some RandomNumberGenerator, isCase: Bool? = nil) {
        self.isCase = isCase ?? (Int.random(in: 0..<4, using: &random) == 0)
        let forms = (self.isCase ? Self.cases : Self.canonical).randomElement(using: &random) ?? []
        let (start, end) = (
            Self.parts.randomElement(using: &random) ?? "", Self.parts.randomElement(using: &random) ?? ""
        )
        let names = forms.shuffled(using: &random).map { start + $0 + end }
        (first, second) = (names[0], names[1])
    }

    package var description: String {
        [first, second].map { $0.unicodeScalars.map { $0.escaped(asASCII: true) }.joined() }.joined(separator: " and ")
    }

    /// Returns the first step that takes one name for the other; `nil` if there isn't one.
    ///
    /// - Parameters:
    ///   - set: stores a secret under a name.
    ///   - get: returns the secret of a name.
    ///   - delete: deletes the secret of a name; that there isn't one is not an error.
    package func mixUp(
        set: (_ name: String, _ secret: String) throws -> Void, get: (_ name: String) throws -> String?,
        delete: (_ name: String) throws -> Void
    ) throws -> String? {
        let steps: [(name: String, secret: String?, after: [String?])] = [
            (first, "secret1", ["secret1", nil]), (second, nil, ["secret1", nil]),
            (second, "secret2", ["secret1", "secret2"]), (first, nil, [nil, "secret2"]), (second, nil, [nil, nil]),
        ]
        for (number, step) in steps.enumerated() {
            if let secret = step.secret { try set(step.name, secret) } else { try delete(step.name) }
            let found = try [get(first), get(second)]
            if !found.elementsEqual(step.after, by: { $0 == $1 }) {
                return "\(self): step \(number + 1) leaves \(found)"
            }
        }
        return nil
    }
}
