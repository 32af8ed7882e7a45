/// A small change of one place in the code.
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
        /// A number is one more.
        case offByOne
        /// `true` becomes `false`, and the other way round.
        case boolean
        /// A statement with an effect is dropped.
        case dropped
        /// A function returns before it does anything.
        case early
        /// A statement's error is ignored.
        case ignored
        /// A case of a switch, or a catch, leaves its values to those that follow.
        case unmatched
        /// An argument is replaced by the parameter's default.
        case argument
        /// Of `a ?? b`, `b` is always taken.
        case fallback
        /// `min` becomes `max`, and the other way round.
        case extreme
    }

    let target: String
    /// Relative to the package.
    let file: String
    let line: Int
    /// The function or property that it is in, or an empty name.
    let function: String
    /// The lines of that function or property.
    let functionLines: ClosedRange<Int>
    let rule: Rule
    /// The code that is changed, without line breaks.
    let original: String
    /// In the file's UTF-8.
    let bytes: Range<Int>
    /// The code instead of it, in which ``activeCode`` asks whether the mutant is active.
    let replacement: String

    static let activeCode = "«active»"

    /// Names the mutant as long as its function keeps its name and its code.
    var name: String { "\(file) | \(function) | \(rule) | \(original)" }

    /// Its place and its change, for people.
    var description: String { "\(file):\(line): \(rule): \(original)" }
}
