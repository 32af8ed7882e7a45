import Foundation
import Keyutils
import SessionKeyring
import TestSupport
import Testing

@testable import skr

@Suite("The output of skr doctor")
struct DoctorOutputTests {
    @Test("the JSON has the documented shape")
    func shape() throws {
        let found = try doctor("keyctl session - skr doctor --json")
        #expect(Set(found.whole.keys) == ["checks", "facts", "usable"])
        let ids = [
            "calls", "features", "user-namespace", "session", "user", "persistent", "quota", "time-left", "memory-lock",
            "sources", "secret-service",
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

    @Test("the doctor counts the items of the given namespace")
    func items() throws {
        let found = try doctor(
            #"keyctl session - bash -c "printf 1 | skr set a --namespace n; skr doctor --json --namespace n""#)
        #expect(found.facts("session")["items"] as? Int == 1)
        #expect(found.facts("session")["keys"] as? Int == 2)
    }

    @Test(
        "the quota hint raises each limit to that of skr-quota or tenfold, up to 16,000 keys or INT_MAX, and root's for root"
    )
    func moreQuota() {
        func advice(_ keys: Int, _ bytes: Int) -> String {
            DoctorHint.moreQuota(KeyQuota(keys: 1, maximumKeys: keys, bytes: 1, maximumBytes: bytes)).command
        }
        let call = "sudo sysctl -w kernel.keys."
        let ours = call + "maxkeys=2000 kernel.keys.maxbytes=2000000"
        #expect(advice(200, 20_000) == ours)
        #expect(advice(1_999, 1_999_999) == ours)
        #expect(advice(200, 2_000_000) == ours + "0")
        #expect(advice(5_000, 20_000) == call + "maxkeys=16000 kernel.keys.maxbytes=2000000")
        #expect(advice(2_000, 2_000_000) == call + "maxkeys=16000 kernel.keys.maxbytes=20000000")
        // A larger limit stays.
        #expect(advice(999_999, 20_000) == call + "maxkeys=999999 kernel.keys.maxbytes=2000000")
        #expect(advice(1_000_000, 25_000_000) == call + "root_maxkeys=10000000 kernel.keys.root_maxbytes=250000000")
        let most = "2147483647"
        #expect(advice(300_000_000, 400_000_000) == call + "root_maxkeys=\(most) kernel.keys.root_maxbytes=\(most)")
    }

    @Test("the quota finding includes another owner of the session, even one without keys")
    func quotas() {
        let finding = Finding.quota(sessionOwner: 4_123_456_789)
        #expect(finding.text.hasSuffix("; uid 4123456789 has no keys"), "\(finding.text)")
        #expect(!Finding.quota(sessionOwner: geteuid()).text.contains("; "))
    }

    @Test("refused calls are listed with error numbers, and request_key alone is only a warning")
    func refusedCalls() {
        func finding(_ code: CInt, _ calls: KeyFacility.Call...) -> Finding {
            Finding.calls(refused: calls.map { (call: $0, error: KeyringError(errno: code, in: .describe)) })
        }
        let isFiltered = KeyFacility.isFiltered != false
        let cause = isFiltered ? "a seccomp filter, as in a container, blocks" : "a security module blocks"
        #expect(finding(EPERM).verdict == .ok)
        let one = finding(EPERM, .requestKey)
        #expect(one.verdict == .warning && one.text == "\(cause) request_key (errno 1), which skr hardly needs")
        let two = finding(EPERM, .addKey, .requestKey)
        #expect(two.verdict == .problem && two.text == "\(cause) add_key (errno 1), request_key (errno 1)")
        let kernel = isFiltered ? cause : "this kernel has no key facility:"
        #expect(finding(ENOSYS, .keyctl).text == "\(kernel) keyctl (errno 38)")
    }

    @Test("the features finding lists the features that the kernel lacks")
    func features() throws {
        let found = try KeyringCapabilities.query()
        let finding = Finding.features()
        #expect(finding.verdict == .ok)
        #expect(finding.text.contains("no persistent") != found.contains(.persistentKeyrings))
    }

    @Test("the hint depends on the error and on the scope")
    func hints() {
        func advice(_ error: SecretStoreError, _ scope: Place.Scope) -> String {
            DoctorHint(for: error, in: scope).line
        }
        let restricted = SecretStoreError(.restricted(KeySerial(rawValue: 1)))
        #expect(advice(restricted, .session) == "exec skr session")
        #expect(advice(restricted, .user).hasPrefix("keyctl show  # "))
        #expect(advice(SecretStoreError(.foreignSession(ownerID: 1)), .session) == "exec skr session")
        #expect(advice(SecretStoreError(.forbidden), .user) == "exec skr session")
        #expect(advice(SecretStoreError(.unavailable), .user).hasPrefix("docker run "))
        #expect(advice(SecretStoreError(.quotaExceeded), .user).hasPrefix("skr list "))
        let quota = KeyQuota(keys: 200, maximumKeys: 200, bytes: 1, maximumBytes: 20_000)
        #expect(
            advice(SecretStoreError(.quotaExceeded, item: nil, underlying: nil, quota: quota), .user).hasPrefix(
                "sudo sysctl "))
        #expect(advice(SecretStoreError(.unexpected), .session).hasPrefix("keyctl show  # "))
    }

    @Test("in a pipe, each check is a paragraph of 80 columns without colours, with a hint below if it isn't ok")
    func lines() throws {
        let outcome = try CommandRunner().shell(
            #"keyctl session - bash -c "keyctl revoke @s; unset COLUMNS; TERM=xterm skr doctor" 2>/dev/null"#)
        #expect(!outcome.output.contains("\u{1B}"))
        var lines = outcome.output.split(separator: "\n")
        let problem = try #require(
            lines.firstIndex { $0.hasPrefix("problem  session         this login session has ended") })
        let hint = try #require(lines.firstIndex(of: "         hint: exec skr session"))
        #expect(lines[problem..<hint].dropFirst().allSatisfy { $0.hasPrefix(String(repeating: " ", count: 25)) })
        #expect(lines.removeLast().hasPrefix("skr works in this login, but only with --scope user: see the 1 problem"))
        for line in lines {
            #expect(["ok       ", "warning  ", "problem  ", "         "].contains { line.hasPrefix($0) }, "\(line)")
            #expect(line.count <= 80, "\(line)")
        }
    }

    @Test("the text fits the terminal", arguments: [25, 40, 49, 50, 60, 100])
    func terminalWidth(columns: Int) throws {
        let shown = try TerminalRunner().run("stty cols \(columns); skr doctor", environment: ["TERM": "dumb"])
        let lines = shown.split(separator: "\n").filter { !$0.hasPrefix("Joined session keyring") }
        #expect(
            lines.contains { $0.hasPrefix(columns < 50 ? "ok       session" : "ok       session         a secret") })
        #expect(lines.allSatisfy { $0.count <= columns || !$0.drop { $0 == " " }.contains(" ") }, "\(shown)")
    }

    @Test(
        "a hint that is broken into lines is still the same command, and its remark is a comment", arguments: [30, 80])
    func hints(width: Int) {
        let quota = KeyQuota(keys: 1, maximumKeys: 1_000_000, bytes: 1, maximumBytes: 25_000_000)
        let findings = [
            Finding.warning("quota", "full", hint: .moreQuota(quota), .null),
            Finding.problem("calls", "blocked", hint: .allowCalls, .null),
            Finding.warning(
                "sources", "open", hint: .correctSources(command: #"chmod go-w $'\x01 long  path'"#, remark: nil), .null
            ),
        ]
        let lines = DoctorReport(findings: findings, place: nil).text(styled: .plain, width: width)
            .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let joined = lines.joined(separator: "\n").replacing(" \\\n", with: " ")
        for finding in findings { #expect(joined.contains("hint: \(finding.hint?.command ?? "-")\n"), "\(joined)") }
        let comments = lines.filter { $0.hasPrefix("# ") }.map { $0.dropFirst(2) }
        #expect(comments.joined(separator: " ") == "PROFILE.json allows add_key, keyctl and request_key")
        #expect(width > 30 || comments.count > 1)
    }

    @Test("the last line has the verdict, and the option that a store needs")
    func verdict() {
        func last(_ findings: [Finding], _ place: (scope: Place.Scope, isUsual: Bool)?) -> String? {
            let text = DoctorReport(findings: findings, place: place).text(styled: .plain, width: 200)
            return text.split(separator: "\n").last.map(String.init)
        }
        let good = Finding.ok("a", "b", .null)
        let warning = Finding.warning("a", "b", hint: .newSession, .null)
        let problem = Finding.problem("a", "b", hint: .newSession, .null)
        #expect(last([good], (.session, true)) == "skr works in this login: all checks are ok")
        #expect(last([good, warning], (.session, true)) == "skr works in this login: see the 1 warning above")
        #expect(
            last([problem, warning, warning], (.user, false))
                == "skr works in this login, but only with --scope user: see the 1 problem and 2 warnings above")
        #expect(last([problem, problem], nil) == "skr can't keep secrets in this login: see the 2 problems above")
    }

    @Test(
        "in another user's session, the verdict names a scope in which skr stores",
        .tags(.root), .enabled(if: isRoot, "needs root to become another user"),
        arguments: [("", true), ("session", false)])
    func foreignSession(scope: String, needsOption: Bool) throws {
        let outcome = try CommandRunner().shell(
            "keyctl session - setpriv --reuid 60426 --regid 60426 --clear-groups env SKR_SCOPE=\(scope) skr doctor")
        #expect(outcome.output.contains("but only with --scope user: see the 1 warning") == needsOption, "\(outcome)")
    }

    @Test(
        "colours are only for a terminal that supports them and a user who wants them",
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
