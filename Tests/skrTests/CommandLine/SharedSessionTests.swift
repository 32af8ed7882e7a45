import TestSupport
import Testing

/// Removes the namespace's keyring and update flag, so that the user's quota lasts for many runs on one machine.
///
/// With one argument, `keyctl unlink` would also remove the ring of the leases, which other scripts of this user need.
private let removal = #"""
    drop() { key=$(keyctl search $1 $2 $3) && keyctl unlink $key $1; }
    { for anchor in @s @u; do
        drop $anchor keyring skr:$SKR_NAMESPACE
        leases=$(keyctl search $anchor keyring skr-leases) && drop $leases user updates:$SKR_NAMESPACE:
    done; } &>/dev/null
    """#

/// Runs a script as this user without a session keyring.
///
/// The script joins the kernel's keyring for processes without a session by its name. skr sees no difference.
private func withoutSession(_ script: String, as user: Int, environment: [String: String] = [:]) throws
    -> CommandRunner.Outcome
{
    try CommandRunner().shell(
        #"""
        setpriv --reuid $OTHER --regid $OTHER --clear-groups bash -c '
            keyctl show @us >/dev/null
            keyctl session _uid_ses.$OTHER bash -c "$SCRIPT" 2> >(grep -v "^Joined session" >&2)'
        """#,
        environment: [
            "OTHER": "\(user)", "SCRIPT": "cd /; \(script); skr clear; \(removal); echo end", "SKR_SCOPE": "",
        ]
        .merging(environment) { $1 })
}

@Suite(
    "Without a session keyring, storing verbs warn",
    .tags(.root), .enabled(if: isRoot, "needs root to become another user"))
struct SharedSessionTests {
    private func warning(_ user: Int) -> String {
        """
        skr: warning: no session keyring: all processes of user \(user) without a session can read what is stored here
        skr: hint: start a session first with 'exec skr session', or store for all sessions with --scope user

        """
    }

    @Test(
        "a verb warns once per call, in plain and in parsed calls, also in a pipe",
        arguments: [
            "printf 1 | skr set a", "printf 1 | skr set --raw --timeout=8h a",
            "printf 1 | skr set a | cat", "skr cached a --timeout 5m -- true", "skr cached a --timeout=5m -- true",
            "skr cached a --timeout 5m --refresh-before 1m -- true",
            #"printf 'protocol=https\nhost=example.com\nusername=a\npassword=p\n\n' | skr helper git store"#,
            #"printf '{\"ServerURL\":\"https://example.com\",\"Username\":\"a\",\"Secret\":\"p\"}' | skr helper docker store"#,
            "printf p | skr helper keyring set service user",
            #"echo '{"token":"t"}' | skr helper terraform store h"#,
            "echo t | VAULT_ADDR=https://v skr helper vault store",
            #"printf '{\"v\":1,\"kind\":\"login\",\"token\":\"t\",\"registry\":{\"index-url\":\"sparse+https://a.example/\"}}\n' | skr helper cargo >/dev/null"#,
            "skr helper npm a -- printf token >/dev/null",
        ])
    func warns(script: String) throws {
        let outcome = try withoutSession(script, as: 60_445)
        #expect(outcome.errors == warning(60_445), "\(outcome)")
        #expect(outcome.exitCode == 0 && outcome.output.hasSuffix("end\n"), "\(outcome)")
    }

    @Test(
        "an explicit scope, a verb that stores nothing, and a hit of cached give no warning",
        arguments: [
            ("printf 1 | skr set a --scope user; skr delete a --scope user", ""),
            ("printf 1 | skr set a --scope session; skr get a; skr list; skr expire a --timeout 5m; skr delete a", ""),
            ("printf 1 | skr set a; skr get a; skr exec --env A=skr://a -- true", "user"),
            ("printf 1 | skr set a --scope session; skr helper npm a", ""),
            ("printf 1 | skr set a; skr get a", "session"),
            ("skr cached a --timeout 5m -- true", "session"),
            ("skr cached a --timeout 5m --scope session -- true; skr cached a --timeout 5m -- true", ""),
            ("skr lock a -- true; skr lock a --scope session -- true", ""),
            (#"printf 'protocol=https\nhost=example.com\n\n' | skr helper git get"#, ""),
            (#"printf 'protocol=https\nhost=example.com\nusername=a\n\n' | skr helper git erase"#, ""),
            (
                "skr helper terraform get h >/dev/null; skr helper docker list >/dev/null; skr helper keyring get s u",
                ""
            ),
            (#"printf '{\"uri\":\"https://a.example/\"}' | skr helper bazel get >/dev/null"#, ""),
            ("for verb in get erase; do printf https://a.example | skr helper docker $verb >/dev/null; done", ""),
        ])
    func silent(script: String, scope: String) throws {
        let outcome = try withoutSession(script, as: 60_446, environment: ["SKR_SCOPE": scope])
        #expect(!outcome.errors.contains("warning") && !outcome.errors.contains("error"), "\(outcome)")
        #expect(outcome.exitCode == 0 && outcome.output.hasSuffix("end\n"), "\(outcome)")
    }

    @Test("a verb that can't start a thread to look up the session exits with 75, and runs no command")
    func noThread() throws {
        let calls = [
            "skr get a", "skr set a", "skr list", "skr exec --env A=skr://a -- echo ran",
            "skr lock a --scope session -- echo ran",
            "skr cached a --timeout 5m -- echo ran", "skr inject -- echo ran",
        ]
        let outcome = try CommandRunner().shell(
            "limited='setpriv --reuid 60448 --regid 60448 --clear-groups prlimit --nproc=0'\n"
                + calls.map { "printf '{{ skr://a }}' | $limited \($0); echo $?\n" }.joined(),
            environment: ["SKR_SCOPE": ""])
        #expect(outcome.output == String(repeating: "75\n", count: calls.count))
        let error = """
            skr: error: this process can't start a thread
            skr: hint: end some processes, or raise their limit: ulimit -u

            """
        #expect(outcome.errors == String(repeating: error, count: calls.count))
    }

    @Test("following the hint ends the warning")
    func hint() throws {
        let outcome = try withoutSession(
            "skr session -- bash -c 'printf 1 | skr set a; skr get a'; printf 2 | skr set b --scope user; skr get b --scope user; skr delete b --scope user",
            as: 60_447)
        #expect(outcome == .init(exitCode: 0, output: "12end\n", errors: ""))
    }
}
