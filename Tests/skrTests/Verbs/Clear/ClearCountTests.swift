import Testing

@Suite("skr clear reports how many items it deleted")
struct ClearCountTests {
    private static let script = #"""
        clear() { skr clear "$@"; echo "$?"; }; fill() { for name in a b c; do printf 1 | skr set $name me; done; }
        fill; clear --yes; clear; fill; printf 1 | skr set a; skr cached a --timeout 5m -- true; clear a; clear a; clear b --namespace other; clear b
        """#

    @Test("on a terminal, clear reports about how many it deleted, and an unusual namespace")
    func terminal() throws {
        let shown = try TerminalRunner().runQuietly("export SKR_NAMESPACE=; " + Self.script)
        #expect(
            shown == """
                skr: about 3 items deleted
                0
                skr: nothing to delete
                0
                skr: 3 items deleted
                0
                skr: nothing to delete
                0
                skr: nothing to delete (namespace other)
                0
                skr: 1 item deleted
                0

                """)
    }

    @Test("if standard error is not a terminal, clear reports nothing")
    func pipe() throws {
        try CommandRunner().inSession(Self.script, prints: String(repeating: "0\n", count: 6), errors: "")
    }

    @Test("clear exits with 77 if it may not change the keyring")
    func refused() throws {
        try CommandRunner().inSession(
            #"""
            printf 1 | skr set a; keyctl setperm $(keyctl search @s keyring skr:$SKR_NAMESPACE) 0x1b1b0000
            skr clear; echo $?; skr clear a; echo $?; skr list | cut -f 2
            """#, prints: "77\n77\na\n")
    }

    @Test(
        "clear also removes a failure that cached remembers, with an output of the same name or without one",
        arguments: [("skr cached a --timeout 5m -- echo one", "--force", "one\n"), ("true", "", "")])
    func failure(before: String, option: String, output: String) throws {
        try CommandRunner().inSession(
            """
            \(before); skr cached a --timeout 5m \(option) --cache-failures 5m -- false; echo $?
            skr clear a; skr cached a --timeout 5m -- echo two
            """, prints: output + "1\ntwo\n", errors: "")
    }
}
