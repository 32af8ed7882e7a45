import CTestFilters
import Foundation
import Testing

@Suite("A filter that denies a call that children need")
struct DeniedChildTests {
    @Test(
        "without prctl, lock and cached report an error and run nothing",
        arguments: ["lock a --wait 0 --scope session", "cached a --timeout 5s"])
    func controls(verb: String) async throws {
        let result = try await #require(
            processExitsWith: .exitCode(126), observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [verb = verb as String] in
            // The filter denies prctl.
            becomeCommand(verb, behindFilter: -3)
        }
        // The test runner also writes to this stream.
        #expect(!String(decoding: result.standardOutputContent, as: UTF8.self).contains("started"))
        let errors = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(
            errors.contains(
                "skr: error: can't run 'echo': can't make it end together with skr: operation not permitted\n"))
        #expect(errors.contains("skr: hint: allow prctl in the container's seccomp profile\n"))
    }

    @Test(
        "without signalfd, lock and cached report an error early and run nothing",
        arguments: ["lock a --wait 0 --scope session", "cached a --timeout 5s"])
    func signals(verb: String) async throws {
        let result = try await #require(
            processExitsWith: .exitCode(126), observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [verb = verb as String] in
            // The filter denies signalfd4.
            becomeCommand(verb, behindFilter: -5)
        }
        #expect(!String(decoding: result.standardOutputContent, as: UTF8.self).contains("started"))
        let errors = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(errors.contains("skr: error: can't run 'echo': can't forward signals to it: operation not permitted\n"))
        #expect(errors.contains("skr: hint: allow signalfd4 in the container's seccomp profile\n"))
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
