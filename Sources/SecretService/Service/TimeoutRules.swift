import Glibc
import Keyutils

/// How long the service's clients keep items: a usual timeout, and rules for items with certain attributes.
package struct TimeoutRules: Sendable {
    /// A rule for items whose attribute has a value like the pattern: fnmatch(3).
    package struct Rule: Sendable {
        let attribute: String
        let pattern: String
        /// `nil` if such items live as long as their scope.
        let timeout: Duration?

        package init(attribute: String, pattern: String, timeout: Duration?) {
            (self.attribute, self.pattern, self.timeout) = (attribute, pattern, timeout)
        }
    }

    private let usual: Duration?
    private let rules: [Rule]

    package init(usual: Duration? = nil, rules: [Rule] = []) {
        (self.usual, self.rules) = (usual, rules)
    }

    /// The first rule that fits decides.
    func timeout(of attributes: [Name: Name]) -> Duration? {
        let rule = rules.first { rule in
            guard let value = attributes[rule.attribute] else { return false }
            return unsafe fnmatch(rule.pattern, value.text, 0) == 0
        }
        return rule.map(\.timeout) ?? usual
    }
}
