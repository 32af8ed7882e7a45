import TestSupport
import Testing

@Suite("skr lock reports the holder")
struct LockHolderTests: ScriptTests {
    /// The beginning of a script in which `held` waits until another process holds the lock.
    let preparation = #"""
        export SKR_SCOPE=session
        held() { for ((i = 0; i < 1000; i++)); do skr lock a --wait 0 -- true 2>/dev/null; [ $? = 75 ] && return; done; exit 99; }

        """#

    @Test("the error names the process, and how long it has held the lock")
    func process() throws {
        let outcome = try run(
            #"""
            skr lock a -- sleep 60 & holder=$!; held
            for wait in 0 1; do skr lock a --wait $wait -- true 2>&1 | grep -oP "process $holder, for \K\d+(?=s)"; done; kill $holder
            """#)
        let seconds = outcome.output.split(separator: "\n").compactMap { Int($0) }
        #expect(seconds.count == 2 && seconds[0] <= seconds[1] && seconds[1] >= 1, "\(outcome)")
    }

    @Test(
        "a process in another pid namespace is reported without a number",
        .tags(.root), .enabled(if: isRoot, "needs root to create pid namespaces"))
    func otherNamespace() throws {
        let outcome = try run(
            #"""
            unshare --pid --fork --mount-proc --kill-child skr lock a -- sleep 60 & holder=$!; held
            skr lock a --wait 0 -- true 2>&1 | sed -n 1p; kill -KILL $holder
            """#)
        #expect(
            outcome.output.wholeMatch(
                of: /skr: error: 'a': another process holds the lock: a process that is not visible here, for \d+s\n/)
                != nil,
            "\(outcome)")
    }

    @Test(
        "another user's process is reported with the user",
        .tags(.root), .enabled(if: isRoot, "needs root to become another user"))
    func otherUser() throws {
        let outcome = try run(
            #"""
            setpriv --reuid 60440 --regid 60440 --clear-groups env SKR_NAMESPACE=$SKR_NAMESPACE skr lock a -- sleep 60 & holder=$!; held
            skr lock a --wait 0 -- true 2>&1 | sed -n 1p; kill $holder
            """#)
        #expect(outcome.output.contains("another process holds the lock: process "), "\(outcome)")
        #expect(outcome.output.contains(" of user 60440, for "), "\(outcome)")
    }

    @Test("on a terminal, a waiting call reports the holder once, after a second")
    func waiting() throws {
        let shown = try TerminalRunner().run(
            #"""
            skr lock a -- sleep 60 & holder=$!; for ((i = 0; i < 1000; i++)); do skr lock a --wait 0 -- true 2>/dev/null; [ $? = 75 ] && break; done
            (skr lock a --wait 1 -- true; echo brief=$?) & brief=$!; skr lock a --wait 2 -- true; echo rc=$?; wait $brief; kill $holder
            """#, environment: ["SKR_SCOPE": "session"])
        #expect(shown.contains("brief=75\n") && shown.contains("rc=75\n"), "\(shown)")
        #expect(
            shown.split(separator: "\n").count { $0.hasPrefix("skr: waiting: 'a': another process holds the lock") }
                == 1)
    }
}
