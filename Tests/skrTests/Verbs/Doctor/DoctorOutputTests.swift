import Foundation
import Testing

@Suite("skr doctor, as people and programs read it")
struct DoctorOutputTests {
    @Test("the JSON has the shape that was promised")
    func shape() throws {
        let found = try doctor("keyctl session - skr doctor --json")
        #expect(Set(found.whole.keys) == ["checks", "facts", "usable"])
        let ids = [
            "calls", "features", "user-namespace", "session", "user", "persistent", "quota", "time-left", "memory-lock",
        ]
        #expect(found.checks.map { $0["id"] as? String } == ids)
        for check in found.checks {
            #expect(Set(check.keys) == ["id", "hint", "text", "verdict"])
            let verdict = try #require(check["verdict"] as? String)
            #expect(["ok", "warning", "problem"].contains(verdict))
            #expect((check["hint"] is NSNull) == (verdict == "ok"))
        }
        #expect(Set((found.whole["facts"] as? JSON ?? [:]).keys) == Set(ids))
        for scope in ["session", "user", "persistent"] {
            #expect(
                Set(found.facts(scope).keys) == [
                    "gid", "items", "keys", "linksUserKeyring", "name", "otherUsers", "permissions", "possessed",
                    "serial", "uid",
                    "usable",
                ])
        }
        let quotas = try #require((found.whole["facts"] as? JSON)?["quota"] as? [JSON])
        #expect(quotas.count == 1)
        #expect(Set(quotas.flatMap(\.keys)) == ["bytes", "keys", "maximumBytes", "maximumKeys", "uid"])
    }

    @Test("it counts the items of the namespace that is named")
    func items() throws {
        let found = try doctor(
            #"keyctl session - bash -c "printf 1 | skr set a --namespace n; skr doctor --json --namespace n""#)
        #expect(found.facts("session")["items"] as? Int == 1)
        #expect(found.facts("session")["keys"] as? Int == 2)
    }

    @Test("one line a check into a pipe, without colours, and a hint below what is not well")
    func lines() throws {
        let outcome = try CommandRunner().shell(
            #"keyctl session - bash -c "keyctl revoke @s; TERM=xterm skr doctor" 2>/dev/null"#)
        #expect(!outcome.output.contains("\u{1B}"))
        let lines = outcome.output.split(separator: "\n")
        let problem = try #require(
            lines.firstIndex { $0.hasPrefix("problem  session         this login session has ended") })
        #expect(lines[problem + 1] == "         hint: exec skr session")
        for line in lines {
            #expect(["ok       ", "warning  ", "problem  ", "         "].contains { line.hasPrefix($0) }, "\(line)")
        }
    }

    @Test(
        "colours are for a terminal that shows them and a user who wants them",
        arguments: [
            ("TERM=xterm NO_COLOR=", true), ("TERM=xterm", true), ("TERM=xterm NO_COLOR=1", false),
            ("TERM=dumb", false),
        ])
    func colours(environment: String, expected: Bool) throws {
        let outcome = try CommandRunner().shell(
            "script -qefc \"env -u NO_COLOR \(environment) keyctl session - skr doctor\" /dev/null </dev/null")
        #expect(outcome.output.contains("calls"))
        #expect(outcome.output.contains("\u{1B}[32mok\u{1B}[0m") == expected)
    }

    @Test("bad names and options are usage errors", arguments: [#"--namespace """#, "--scope user", "now"])
    func usage(options: String) throws {
        let outcome = try CommandRunner().shell("skr doctor \(options)")
        #expect(outcome.exitCode == 64)
        #expect(outcome.output.isEmpty)
    }
}
