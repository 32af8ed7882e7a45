import Foundation
import Testing

/// The lines that an exit test reports to its parent, which prints them even if there is a problem.
enum Report {
    private static let problem = "problem: "

    /// Prints what the child has reported, and fails if it has reported a problem.
    static func check(_ result: ExitTest.Result?) {
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        print(text)
        #expect(!text.contains(problem), "\(text)")
    }

    static func tell(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
    static func tellProblem(_ line: String) { tell(problem + line) }
}
