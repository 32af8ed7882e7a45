import Foundation
import Testing

/// Code that runs before the Swift runtime is set up must not need it.
@Suite("Before the runtime is set up")
struct BeforeMainTests {
    @Test(
        "a name in any Unicode form does not crash skr, wherever the name is",
        arguments: [
            "skr get $'o\\u0308ffnen'", "skr get a $'\\u0301'", "SKR_SCOPE=$'\\u0301' skr get x",
            "SKR_NAMESPACE=$'e\\u0301' skr get x", "skr cached $'o\\u0308ffnen' --timeout 5s -- echo hi",
            "skr cached a --key $'\\u1100\\u1161' --timeout 5s -- echo hi",
            "skr exec --env $'A\\u0308=skr://x' -- true",
            "skr exec --env $'A=skr://o\\u0308' -- true", "skr lock $'o\\u0308' --scope session -- true",
            "skr $'ge\\u0301t' x",
            "SKR_NAMESPACE=$'\\u1e9b\\u0323' skr cached a --timeout $'5\\u0308s' -- echo hi",
        ])
    func forms(line: String) throws {
        let outcome = try CommandRunner().inSession(line + "; echo $?")
        let code = outcome.output.split(separator: "\n").last.flatMap { Int($0) }
        #expect(code.map { $0 < 126 } == true, "\(outcome)")
    }
}
