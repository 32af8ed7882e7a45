/// A small change at one place in the code.
struct Mutant: Sendable {
    /// How a place is changed.
    enum Rule: String {
        /// A condition is negated.
        case negated
        /// A condition always holds: a guard is dropped.
        case always
        /// A condition never holds.
        case never
        /// `<` becomes `<=`, `==` becomes `!=`, and the other way round.
        case bound
        /// `&&` becomes `||`, and the other way round.
        case logical
        /// `+` becomes `-`, `*` becomes `/`, and the other way round.
        case arithmetic
        /// A number is increased by one.
        case offByOne
        /// `true` becomes `false`, and the other way round.
        case boolean
        /// A statement with an effect is dropped.
        case dropped
        /// A function returns before it does anything.
        case early
        /// A statement's error is ignored.
        case ignored
        /// A case of a switch, or a catch, no longer matches, so that the following ones get its values.
        case unmatched
        /// `a ?? b` always takes `b`.
        case fallback
        /// `min` becomes `max`, and the other way round.
        case extreme
    }

    let target: String
    /// The path, relative to the package.
    let file: String
    let line: Int
    /// The name of the function or property that contains the change, or an empty name.
    let function: String
    /// The lines of that function or property.
    let functionLines: ClosedRange<Int>
    let rule: Rule
    /// The code that is changed, without line breaks.
    let original: String
    /// The range of that code in the file's UTF-8.
    let bytes: Range<Int>
    /// The code that replaces it.
    ///
    /// ``activeCode`` stands for the check whether the mutant is active.
    let replacement: String

    static let activeCode = "«active»"

    /// A name that stays the same as long as the function keeps its name and its code.
    var name: String { "\(file) | \(function) | \(rule) | \(original)" }

    /// Its place and its change, for people.
    var description: String { "\(file):\(line): \(rule): \(original)" }
}
