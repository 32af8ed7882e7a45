import CommandSupport

/// What is wrong with a text from outside, and what to do about it.
///
/// It never shows the text, which may be a secret.
package struct InputProblem: Error, Equatable {
    package let summary: String
    package let hint: String
}

extension CommandError {
    /// - Parameter place: where the text is.
    init(_ problem: InputProblem, at place: String) {
        self = .data("\(place): \(problem.summary)", hint: problem.hint)
    }
}
