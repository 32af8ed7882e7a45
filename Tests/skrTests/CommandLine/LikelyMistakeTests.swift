import CommandSupport
import Foundation
import SessionKeyring
import Testing

@testable import skr

/// A command line that a user might type, and skr's answer to it.
private struct Mistake: Sendable {
    let line: String
    let error: String
    let hint: String
    var exitCode: Int32 = 64
}

@Suite("Likely mistakes are answered with what to type")
struct LikelyMistakeTests {
    private static let durations = [
        ("set api --timeout 8 hours", "--timeout 8h"), ("set --timeout 90 s", "--timeout 90s"),
        ("set api --timeout=15 min", "--timeout 15m"), ("set --new api --timeout 2 days", "--timeout 2d"),
        ("set api me --timeout 1 hour", "--timeout 1h"), ("set api -t 8 hours", "-t 8h"),
        ("expire api --timeout 5 minutes", "--timeout 5m"),
        ("cached a --timeout 5 m -- true", "--timeout 5m"), ("lock a --wait 10 sec -- true", "--wait 10s"),
        ("cached a --timeout 5m --refresh-before 1 minute -- true", "--refresh-before 1m"),
        ("list --expiring 10 minutes", "--expiring 10m"),
        ("helper aws work --timeout 8 hours -- true", "--timeout 8h"),
        ("helper git get --timeout 8 hours", "--timeout 8h"), ("set api --timeout 90 seconds", "--timeout 90s"),
    ].map { line, form in
        let words = line.split(separator: " ")
        let unit = words.last { !["--", "true"].contains($0) } ?? ""
        let option = form.split(separator: " ")[0]
        let number = form.split(separator: " ")[1].dropLast()
        return Mistake(
            line: line, error: "\(option) \(number) \(unit): a duration is one word",
            hint: "write \(form)")
    }

    private static let weeks = Mistake(
        line: "set api --timeout 2 weeks", error: "--timeout 2 weeks: a duration is one word",
        hint: "write it as 90, 90s, 15m, 8h, 2d or 1h30m")

    private static let options = ["--ttl", "--expire", "--expires"].flatMap { option in
        [
            "set api \(option) 8h", "set api \(option)=8h", "cached a \(option) 8h -- true",
            "lock a \(option) 30s -- true", "helper install git \(option) 8h",
        ].map { line in
            Mistake(
                line: line, error: "unknown option '\(option)'",
                hint: "the option is --timeout, for instance --timeout 8h")
        }
    }

    private static let verbs = [
        ("logoff", "'skr clear' deletes what is stored, 'skr logout SERVICE' an OAuth login"),
        ("signin", "'skr login SERVICE' logs in with OAuth, 'skr set SERVICE' stores a secret"),
        ("edit", "store the new secret under the same name: skr set SERVICE"),
        ("rename", "copy it, then delete the old one: skr get OLD | skr set --raw NEW && skr delete OLD"),
        ("mv", "copy it, then delete the old one: skr get OLD | skr set --raw NEW && skr delete OLD"),
        ("copy", "skr get OLD | skr set --raw NEW"), ("status", "'skr list' shows what is stored"),
        ("unlock", "a lock is released when its command ends"),
        ("export", "pass secrets to a command: skr exec --env NAME=skr://SERVICE -- CMD"),
    ].flatMap { word, hint in
        ["\(word)", "\(word) api", "help \(word)"].map { Mistake(line: $0, error: "no such verb: \(word)", hint: hint) }
    }

    private static let absent = [
        ("delete none", "none"), ("delete none me", "none me"), ("expire none --timeout 5m", "none"),
        ("cached --forget none", "none"),
    ].map { line, name in
        Mistake(
            line: line, error: "\(name): no such item, or it has expired", hint: "'skr list' shows what is stored",
            exitCode: 1)
    }

    @Test("the first line states the problem, the second line states the command to type, and nothing is changed")
    func answers() throws {
        let mistakes: [Mistake] = Self.durations + [Self.weeks] + Self.options + Self.verbs + Self.absent
        let calls = mistakes.map { "printf y | skr \($0.line) 2>&1; echo \"code $?\"; echo -- end" }
        let outcome = try CommandRunner().inSession(
            (["printf x | skr set api"] + calls + ["skr list | cut -f 2-4,6"]).joined(separator: "\n"),
            environment: ["SKR_NAMESPACE": ""])
        let answers = outcome.output.split(separator: "-- end\n", omittingEmptySubsequences: false)
        try #require(answers.count == mistakes.count + 1, "\(outcome)")
        #expect(answers.last == "api\t\t1\n")
        for (mistake, answer) in zip(mistakes, answers) {
            let lines = answer.split(separator: "\n")
            let text = "\(mistake.line): \(answer)"
            // A missing item has a second hint.
            #expect(lines.count == (mistake.exitCode == 1 ? 4 : 3), "\(text)")
            #expect(lines.first?.hasPrefix("skr: error: \(mistake.error)") == true, "\(text)")
            #expect(!answer.contains("Did you mean"), "\(text)")
            #expect(lines.dropFirst().first?.hasPrefix("skr: hint: \(mistake.hint)") == true, "\(text)")
            #expect(lines.last == "code \(mistake.exitCode)", "\(text)")
        }
    }

    @Test("a listing that other processes keep changing ends with 75")
    func contended() {
        #expect(ExitCode(SecretStoreError.Code.contended) == .tryAgain)
    }

    @Test("the hint for each library error names verbs and options of the command")
    func hints() {
        let words: [(SecretStoreError.Code, String)] = [
            (.notFound, "'skr list'"), (.duplicate, "--new"), (.forbidden, "--scope user"),
            (.foreignSession(ownerID: 7), "'exec skr session'"), (.sessionRevoked, "'exec skr session'"),
            (.ambiguous(accounts: ["a"]), "skr VERB SERVICE ACCOUNT"), (.quotaExceeded, "'skr list --all'"),
            (.quotaExceeded, "'skr doctor'"),
            (.quotaExceeded, "skr-quota"), (.tooLarge(size: 9, limit: 8), "skr-quota"),
            (.undecodable(at: "a"), "'skr get'"), (.invalidTimeout, "write the duration"),
            (.contended, "try again"),
        ]
        for (code, word) in words {
            let hint = CommandError(SecretStoreError(code)).hint
            #expect(hint?.contains(word) == true, "\(code): \(hint ?? "none")")
        }
        #expect(CommandError(SecretStoreError(.unsupported)).hint?.contains("'skr doctor'") == true)
    }

    @Test("an item can have a unit as its name if the duration includes its unit")
    func unitName() throws {
        try CommandRunner().inSession(
            """
            printf x | skr set hours --timeout 8h; printf x | skr set --timeout 90s s; printf x | skr set 8 hours
            skr list | cut -f 2
            """, environment: ["SKR_NAMESPACE": ""], prints: "8\nhours\ns\n", errors: "")
    }

    @Test("copying and moving an item as the hints describe keeps every byte")
    func copying() throws {
        try CommandRunner().inSession(
            #"""
            printf 'two\nlines\n' | skr set --raw old; skr get old | skr set --raw new && skr delete old
            skr get new; skr get old 2>/dev/null; echo $?; skr get none 2>/dev/null | skr set --raw new 2>/dev/null || echo kept
            """#, prints: "two\nlines\n1\nkept\n", errors: "")
    }

    @Test("delete without an account reports which account it deleted, and nothing else")
    func deleted() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            printf 1 | skr set db alice; printf 1 | skr set api; printf 1 | skr set db2 bob
            skr delete db; skr delete api; skr delete db2 bob
            """#)
        #expect(outcome == .init(exitCode: 0, output: "", errors: "skr: deleted db alice\n"))
    }

    @Test(
        "no error shows a C function, an error number or a serial on its first line",
        arguments: [
            "keyctl revoke @s; skr get api", "keyctl revoke @s; printf 1 | skr set api",
            "keyctl restrict_keyring @s; printf 1 | skr set api", "keyctl setperm @s 0x01000000; skr list",
            "printf 1 | skr set a; keyctl setperm $(keyctl search @s keyring skr:default) 0x01010000; skr get a; skr list",
            "printf 1 | skr set a; keyctl restrict_keyring $(keyctl search @s keyring skr:default); printf 1 | skr set b",
            // Without keyrings of the user, --all can't look at the session without creating them.
            "keyctl describe @u >/dev/null; keyctl revoke @s; skr list --all",
            "keyctl revoke @s; skr lock a --scope session -- true",
        ])
    func firstLine(script: String) throws {
        let outcome = try CommandRunner().inSession(script, environment: ["SKR_NAMESPACE": ""])
        let lines = outcome.errors.split(separator: "\n").filter {
            $0.hasPrefix("skr: error: ") || $0.hasPrefix("skr: warning: ")
        }
        #expect(!lines.isEmpty, "\(outcome)")
        for line in lines {
            #expect(!line.contains("keyctl") && !line.contains("add_key") && !line.contains("errno"), "\(line)")
            #expect(line.firstMatch(of: /[0-9]{5,}/) == nil, "\(line)")
        }
        #expect(outcome.errors.contains("skr: detail: ") || script.contains("--all"), "\(outcome.errors)")
    }
}
