import Glibc
import Testing

@Suite("skr lock says who holds it")
struct LockHolderTests {
    private func inSession(_ script: String) throws -> CommandRunner.Outcome {
        try CommandRunner().inSession(
            #"""
            held() { until ! skr lock a --wait 0 -- true 2>/dev/null; do :; done; }
            """# + "\n" + script, environment: ["SKR_SCOPE": "session"])
    }

    @Test("the process, and for how long")
    func process() throws {
        let outcome = try inSession(
            #"""
            skr lock a -- sleep 60 & holder=$!; held
            skr lock a --wait 0 -- true 2>&1 | grep -o "process $holder, for [01]s" | sed "s/1s$/0s/"
            skr lock a --wait 2 -- true 2>&1 | grep -o "process $holder, for [23]s" | sed "s/3s$/2s/"; kill $holder
            """#)
        let number = outcome.output.split(separator: " ").dropFirst().first?.dropLast() ?? ""
        #expect(outcome.output == "process \(number), for 0s\nprocess \(number), for 2s\n", "\(outcome)")
    }

    @Test(
        "no number of a process that is called otherwise here",
        .enabled(if: geteuid() == 0, "makes pid namespaces"))
    func otherNamespace() throws {
        let outcome = try inSession(
            #"""
            unshare --pid --fork --mount-proc --kill-child skr lock a -- sleep 60 & holder=$!; held
            skr lock a --wait 0 -- true 2>&1 | head -1; kill -KILL $holder
            """#)
        #expect(
            outcome.output.wholeMatch(
                of: /skr: error: 'a': somebody else holds the lock: a process of another pid namespace, for \d+s\n/)
                != nil,
            "\(outcome)")
    }

    @Test("whose it is, where it is another user's", .enabled(if: geteuid() == 0, "becomes another user"))
    func otherUser() throws {
        let outcome = try inSession(
            #"""
            setpriv --reuid 60440 --regid 60440 --clear-groups env SKR_NAMESPACE=$SKR_NAMESPACE skr lock a -- sleep 60 & holder=$!; held
            skr lock a --wait 0 -- true 2>&1 | head -1; kill $holder
            """#)
        #expect(outcome.output.contains("somebody else holds the lock: process "), "\(outcome)")
        #expect(outcome.output.contains(" of user 60440, for "), "\(outcome)")
    }

    @Test("on a terminal, who is waited for, after a second and once")
    func waiting() throws {
        let shown = try TerminalRunner().run(
            #"""
            skr lock a -- sleep 60 & holder=$!; until ! skr lock a --wait 0 -- true 2>/dev/null; do :; done
            skr lock a --wait 3 -- true; echo rc=$?; skr lock a --wait 1 -- true; echo rc=$?; kill $holder
            """#, environment: ["SKR_SCOPE": "session"])
        #expect(shown.contains("rc=75"))
        #expect(
            shown.split(separator: "\n").count { $0.hasPrefix("skr: waiting: 'a': somebody else holds the lock") } == 1)
    }
}
