import Foundation
import TestSupport
import Testing

/// Runs a script as an ordinary user in root's session.
///
/// Root has stored the item `held` in that session, and the output of a command under the name `kept`.
@discardableResult
private func inForeignSession(
    _ script: String, prints output: String, errors: String? = nil, at location: SourceLocation = #_sourceLocation
) throws -> CommandRunner.Outcome {
    try CommandRunner().inSession(
        #"""
        printf root | skr set held; WHOSE="root's" skr cached kept --timeout 5m -- printenv WHOSE >/dev/null
        setpriv --reuid 60410 --regid 60410 --clear-groups bash -c "$SCRIPT"
        """#, environment: ["SCRIPT": script], prints: output, errors: errors, at: location)
}

@Suite(
    "skr in a session that another user owns", .tags(.root), .enabled(if: isRoot, "needs root to become another user"))
struct ForeignSessionCommandTests {
    @Test("set is refused with 77 and three alternatives, before it asks for the secret")
    func refused() throws {
        let outcome = try inForeignSession(
            #"""
            printf mine | skr set a; echo $?; printf mine | skr set a --new; echo $?; skr get a 2>/dev/null; echo $?
            # Nothing is typed, so a prompt would wait until the time limit.
            timeout 10 script -qec "skr set a" /dev/null </dev/null | grep -c "secret for"
            """#, prints: "77\n77\n1\n0\n")
        let refusal = """
            skr: error: the session belongs to user 0, who could read what is stored in it
            skr: hint: start your own session with 'exec skr session', or use --scope user; to share this one, --scope session; see 'man skr-login-environments'

            """
        #expect(outcome.errors.replacingOccurrences(of: "error: a: ", with: "error: ") == refusal + refusal)
    }

    @Test(
        "each of the three alternatives works, and so does SKR_SCOPE; a new session does not have the old one's items")
    func waysOut() throws {
        try inForeignSession(
            #"""
            skr session -- bash -c 'printf own | skr set a; skr get a; echo; skr get held 2>/dev/null'; echo $?
            printf user | skr set a --scope user; skr get a --scope user; echo; skr delete a --scope user
            printf said | skr set a --scope session; skr get a; echo
            export SKR_SCOPE=session; printf variable | skr set a; skr get a; echo
            """#, prints: "own\n1\nuser\nsaid\nvariable\n", errors: "")
    }

    @Test("get, list, exec, expire, delete and clear still work")
    func readingGoesOn() throws {
        try inForeignSession(
            #"""
            skr get held; echo; skr exec --env A=skr://held -- sh -c 'echo $A'; skr expire held --timeout 5m; echo $?
            skr list held | cut -f 2; skr delete held; echo $?; skr clear; skr list; echo $?
            """#, prints: "root\nroot\n0\nheld\n0\n0\n", errors: "")
    }

    @Test("cached keeps nothing and warns, unless the scope is given explicitly")
    func cached() throws {
        let outcome = try inForeignSession(
            #"""
            skr cached kept --timeout 5m -- printf "mine\n"; skr cached new --timeout 5m -- sh -c 'wc -c; exit 3'; echo $?
            skr cached new --timeout 5m --scope session -- printf "said\n"; WHOSE=mine skr cached kept --timeout 5m --scope session -- printenv WHOSE
            """#, prints: "mine\n0\n3\nsaid\nroot's\n")
        let warning = """
            skr: warning: nothing is kept: the session belongs to user 0
            skr: hint: start your own session with 'exec skr session', or use --scope user; to share this one, --scope session; see 'man skr-login-environments'

            """
        #expect(outcome.errors == warning + warning)
    }
}
