import Foundation

/// Checks one step of a test that runs in its own process.
///
/// If the step fails, the process exits with the number of the step.
package func succeed(_ step: Int32, _ condition: @autoclosure () throws -> Bool) {
    do {
        if try condition() { return }
        FileHandle.standardError.write(Data("step \(step) failed\n".utf8))
    } catch {
        FileHandle.standardError.write(Data("step \(step): \(error)\n".utf8))
    }
    exit(step)
}
