import CTestFilters
import Foundation
import Testing

@Suite("A filter that denies a call that children need")
struct DeniedChildTests {
    @Test(
        "without prctl or signalfd, lock and cached report an error and run nothing",
        arguments: [
            (-3 as CInt, "can't make it end together with skr", "prctl"),
            (-5, "can't forward signals to it", "signalfd4"),
        ], ["lock a --wait 0 --scope session", "cached a --timeout 5s"])
    func denied(filter: (number: CInt, reason: String, call: String), verb: String) async throws {
        let number = filter.number
        let result = try await #require(
            processExitsWith: .exitCode(126), observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [verb = verb as String, number = number as CInt] in
            becomeCommand(verb, behindFilter: number)
        }
        // The test runner also writes to this stream.
        #expect(!String(decoding: result.standardOutputContent, as: UTF8.self).contains("started"))
        let errors = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(errors.contains("skr: error: can't run 'echo': \(filter.reason): operation not permitted\n"))
        #expect(errors.contains("skr: hint: allow \(filter.call) in the container's seccomp profile\n"))
    }
}

/// Becomes `skr VERB -- echo started`, in a new session, with a filter of `test_filter_install`.
///
/// The process ends with 124 after 8 s.
private func becomeCommand(_ verb: String, behindFilter filter: CInt) -> Never {
    guard test_filter_install(filter, EPERM) == 0 else { exit(3) }
    let skr = [CommandRunner.executable.path] + verb.split(separator: " ").map(String.init)
    let words = ["timeout", "8", "keyctl", "session", "-"] + skr + ["--", "echo", "started"]
    execvp("timeout", words.map { (word: String) in strdup(word) } + [nil])
    exit(4)
}
