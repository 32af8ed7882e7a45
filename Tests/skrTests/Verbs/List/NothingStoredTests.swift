import Glibc
import TestSupport
import Testing

@Suite("skr list without items")
struct NothingStoredTests: ScriptTests {
    @Test("on a terminal, list reports it, names an unusual scope and namespace, and ends with 0")
    func terminal() throws {
        let shown = try TerminalRunner().runQuietly(
            #"""
            skr list; echo $?; export SKR_NAMESPACE=; skr list; echo $?; skr list api; skr list --json
            skr list --namespace $'w\e[31m'; skr list 2>/dev/null; echo $?
            """#, environment: ["SKR_NAMESPACE": "work"])
        let hint =
            "skr: hint: each login has its own session; logins share --scope user, or 'skr session --join': see 'man skr-login-environments'"
        #expect(
            shown == """
                skr: nothing stored (namespace work)
                \(hint)
                0
                skr: nothing stored
                \(hint)
                0
                skr: nothing stored as 'api'
                [

                ]
                skr: nothing stored (namespace w%1B[31m)
                \(hint)
                0

                """)
    }

    @Test("list prints nothing into a pipe")
    func pipe() throws {
        try expect("skr list; skr list api; skr list --all api", onlyPrints: "")
    }

    @Test("list also names the scope", .tags(.root), .enabled(if: isRoot, "needs root to become a user without items"))
    func scope() throws {
        let shown = try TerminalRunner().runQuietly(
            #"""
            copy=$(mktemp -d); chmod 755 $copy; trap 'rm -rf $copy' EXIT; cp $(command -v skr) $copy/skr
            setpriv --reuid 60437 --regid 60437 --clear-groups $copy/skr list --scope user; echo $?
            """#, environment: ["SKR_NAMESPACE": "work"])
        #expect(shown == "skr: nothing stored (scope user, namespace work)\n0\n")
    }
}
