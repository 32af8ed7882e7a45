import CommandSupport

/// A problem in a text from outside, and what to do about it.
///
/// It never shows the text, which could be a secret.
package struct InputProblem: Error, Equatable {
    package let summary: String
    package let hint: String
}

extension CommandError {
    /// - Parameter place: the place of the text, such as a file and a line.
    init(_ problem: InputProblem, at place: String) {
        self = .data("\(place): \(problem.summary)", hint: problem.hint)
    }
}
