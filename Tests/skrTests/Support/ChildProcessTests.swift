import Foundation
import Glibc
import Testing

@Suite("The tests' child processes are the same, no matter who runs the tests")
struct ChildProcessTests {
    @Test("a child has default actions for all signals, blocks none, and has only its own files")
    func defaults() async {
        await #expect(processExitsWith: .exitCode(0)) {
            for number in [SIGHUP, SIGINT, SIGTERM, SIGCHLD] { signal(number, SIG_IGN) }
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, nil)
            // Signals 32 and 33 belong to the C library. The fourth file is the listed folder.
            let script = #"""
                for mask in SigBlk SigIgn; do echo $((0x$(awk "/$mask/ {print \$2}" /proc/self/status) & 0x7FFFFFFF)); done
                ls /proc/self/fd | wc -l; cat
                """#
            let outcome = try ChildProcess.run(
                "/bin/bash", ["-c", script], environment: ChildProcess.environment([:]), input: Data("input".utf8))
            exit(String(decoding: outcome.output, as: UTF8.self) == "0\n0\n4\ninput" ? 0 : 1)
        }
    }

    @Test("a child that does not end is killed with its children, and the test fails in time")
    func timeLimit() throws {
        let start = ContinuousClock.now
        #expect(throws: ChildProcess.Failure.self) {
            try ChildProcess.run(
                "/bin/bash", ["-c", "sleep 31.7 & sleep 31.7"], environment: ChildProcess.environment([:]),
                within: .milliseconds(300))
        }
        #expect(ContinuousClock.now - start < .seconds(20))
        // A killed process ends when a processor is free. Without the signal, it would last longer than this limit.
        _ = try ChildProcess.run(
            "/bin/sh", ["-c", "while pgrep -fx 'sleep 31.7'; do sleep 0.05; done"],
            environment: ChildProcess.environment([:]), within: .seconds(10))
    }

    @Test("environment variables, limits and the umask are the usual ones")
    func surroundings() {
        for name in ["SKR_SCOPE", "SKR_NAMESPACE", "SKR_TIMEOUT"] { #expect(getenv(name) == nil) }
        var files = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
        // Raising the hard limit needs permission, so the limit can be lower than 1,024.
        #expect(files.rlim_cur >= min(1_024, files.rlim_max))
        let mask = umask(0o22)
        umask(mask)
        #expect(mask == 0o22)
    }
}
