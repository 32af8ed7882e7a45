import Testing

@Suite("skr clear SERVICE, and a command that is still running")
struct ClearUnderWayTests {
    private static let waiting = "until [[ -s $COUNTER ]]; do sleep 0.01; done; "

    @Test(
        "the output of a first run in progress is not kept, whatever its keys",
        arguments: ["", " --key r --key 's,t'"])
    func firstRun(keys: String) throws {
        try CommandRunner().inSession(
            CachedTests.counting + #"""
                skr cached etcd\#(keys) --timeout 60 -- sh -c 'echo x > $COUNTER; until [ -e $COUNTER.1 ]; do sleep 0.01; done; echo old' & first=$!
                skr cached other --timeout 60 -- sh -c 'until [ -e $COUNTER.2 ]; do sleep 0.01; done; echo other' & \#(Self.waiting)
                skr clear etcd; : > $COUNTER.1; wait $first; : > $COUNTER.2; wait; rm $COUNTER.?; skr list | cut -f 2
                """#, prints: "old\nother\nother\n",
            errors: """
                skr: warning: etcd\(keys.replacing("'", with: "")): deleted during the fetch; the output is not kept
                skr: hint: nothing to do: the next reader runs the command again

                """)
    }

    @Test("a remembered failure is removed, whatever its keys")
    func failures() throws {
        try CommandRunner().inSession(
            CommandRunner.left + #"""
                for key in 1 2; do skr cached f --key $key --cache-failures 5m --timeout 5m -- sh -c 'echo $1; exit 3' - $key; done
                skr clear f; left $(keyctl search @s keyring skr:$SKR_NAMESPACE)
                """#, prints: "1\n2\nkeyring is empty\n", errors: "")
    }
}
