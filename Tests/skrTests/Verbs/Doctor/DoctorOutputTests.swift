import Foundation
import Keyutils
import SessionKeyring
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
        let texts: [(KeyringCapabilities, String)] = [
            (.bigKey, "no big_key"), (.persistentKeyrings, "no persistent"), (.notifications, "no notifications"),
        ]
        for (feature, text) in texts { #expect(finding.text.contains(text) != found.contains(feature), "\(text)") }
    }

    @Test("the hint depends on the error and on the scope")
    func hints() {
        func advice(_ error: SecretStoreError, _ scope: Place.Scope) -> String {
            DoctorHint(for: error, in: scope).command
        }
        let restricted = SecretStoreError(.restricted(KeySerial(rawValue: 1)))
        #expect(advice(restricted, .session) == "exec skr session")
        #expect(advice(restricted, .user).hasPrefix("keyctl show  # "))
        #expect(advice(SecretStoreError(.foreignSession(ownerID: 1)), .session) == "exec skr session")
        #expect(advice(SecretStoreError(.forbidden), .user) == "exec skr session")
        #expect(advice(SecretStoreError(.unavailable), .user).hasPrefix("docker run "))
        #expect(advice(SecretStoreError(.quotaExceeded), .user).hasPrefix("skr list "))
        let quota = KeyQuota(keys: 200, maximumKeys: 200, bytes: 1, maximumBytes: 20_000)
        #expect(advice(SecretStoreError(.quotaExceeded, quota: quota), .user).hasPrefix("sudo sysctl "))
        #expect(advice(SecretStoreError(.unexpected), .session).hasPrefix("keyctl show  # "))
    }

    @Test("in a pipe, each check is one line without colours, with a hint below if it isn't ok")
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
