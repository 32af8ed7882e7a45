import Foundation
import Testing

@Suite("skr set --generate")
struct GenerateTests {
    @Test("--generate stores the given number of characters, or 32, and reads and prints nothing")
    func lengths() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            { skr set --generate a; skr set b --generate; skr set --generate 64 c; skr set d --generate 64
              skr set e --generate=64; skr set f me --generate 8 --new; skr set 64 --generate; skr set --generate --timeout 1h g
              skr set --generate -- h; skr set --generate 4096 -- 9; cat; } <<< unread
            for name in a b c d e "f me" 64 g h 9; do skr get $name | wc -c; skr get $name | tr -d A-Za-z0-9_- | wc -c; done | tr '\n' ' '
            """#)
        #expect(outcome.errors == "")
        #expect(outcome.output == "unread\n32 0 32 0 64 0 64 0 64 0 8 0 32 0 32 0 32 0 4096 0 ")
    }

    @Test("after --, --generate is a name")
    func name() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            printf one | skr set -- --generate; printf two | skr set -- --generate 64
            printf three | skr set -- a --generate
            skr get -- --generate; skr get -- --generate 64; skr get -- a --generate
            """#)
        #expect(outcome == .init(exitCode: 0, output: "onetwothree", errors: ""))
    }

    @Test("--generate does not ask on a terminal")
    func terminal() throws {
        let shown = try TerminalRunner().run(
            "skr set api --generate; echo rc=$?; skr get api | wc -c",
            answering: [.init(prompt: "secret for", keys: "typed\n")])
        #expect(shown == "rc=0\n32\n" || shown.hasSuffix("\nrc=0\n32\n"), "\(shown.debugDescription)")
    }

    @Test("all 64 characters occur, about equally often, and no two secrets are the same")
    func distribution() throws {
        let outcome = try CommandRunner().inSession(
            "for i in 1 2 3 4 5 6 7 8; do skr set --generate=4096 a; skr get a; echo; done")
        let secrets = outcome.output.split(separator: "\n")
        #expect(secrets.count == 8 && Set(secrets).count == 8 && Set(secrets.map(\.first)).count > 1)
        var counts: [Character: Int] = [:]
        for character in secrets.joined() { counts[character, default: 0] += 1 }
        // Each character is expected 512 times. Ten standard deviations are 226.
        #expect(counts.count == 64 && counts.values.allSatisfy { (286...738).contains($0) }, "\(counts)")
    }

    @Test(
        "an impossible length or option is a usage error, and nothing is stored",
        arguments: [
            "--generate 7 a", "--generate 4097 a", "--generate=0 a", "--generate=x a", "--generate=-1 a",
            "--generate 99999999999999999999 a", "--generate --raw a", "--generate --allow-empty a", "--generate",
            "--generate 64", "--generate --generate a b c",
        ])
    func mistakes(line: String) throws {
        let outcome = try CommandRunner().inSession("skr set \(line); echo $?; skr list")
        #expect(outcome.output == "64\n" && outcome.errors.contains("skr: hint: "), "\(outcome)")
    }
}
