import TestSupport
import Testing

@Suite("set over an item that has a timeout")
struct LostTimeoutTests {
    @Test("without a timeout, set reports the old one after storing")
    func lost() throws {
        let outcome = try CommandRunner().inSession(
            """
            printf 1 | skr set api -t 7h59m; printf 2 | skr set api; skr get api; skr list | cut -f 5
            printf 1 | skr set db al -t 50m; printf 2 | skr set --scope=session db al
            """, prints: "2-\n")
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count == 2 && lines.first == "skr: api: the old timeout of 7h is gone; add --timeout 8h")
        #expect(lines.last?.hasPrefix("skr: db al: the old timeout of ") == true, "\(outcome)")
    }

    @Test(
        "set reports nothing if a timeout is given, if the old item had none, or if nothing was stored",
        arguments: [
            "skr set api -t 5h", "skr set api -t never", "SKR_TIMEOUT=5h skr set api", "SKR_TIMEOUT=never skr set api",
            "skr set other", "skr set other; printf 3 | skr set other", "skr set api other",
        ])
    func silent(line: String) throws {
        try CommandRunner().inSession("printf 1 | skr set api -t 7h; printf 2 | \(line)", prints: "", errors: "")
    }

    @Test("a refused set reports only its error")
    func refused() throws {
        let outcome = try CommandRunner().inSession(
            "printf 1 | skr set api -t 7h; printf 2 | skr set api --new; printf '' | skr set api; skr get api")
        #expect(outcome.output == "1" && !outcome.errors.contains("old timeout"), "\(outcome)")
    }

    @Test(
        "/proc/keys is read only for an existing item, and if no timeout is given",
        .tags(.root), .enabled(if: isRoot, "needs root to hide /proc/keys"))
    func table() throws {
        // A process that opens the FIFO waits for a writer.
        try CommandRunner().inSession(
            """
            printf 1 | skr set api -t 7h30m; printf 1 | skr set new -t 7h30m
            unshare -m --propagation private bash -c '
                fifo=$(mktemp -u); mkfifo $fifo; mount --bind $fifo /proc/keys; rm $fifo
                printf 2 | timeout 10 skr set fresh; echo $?; printf 2 | timeout 10 skr set new -t 5h; echo $?
                printf 2 | timeout 0.5 skr set api; echo $?'
            """, prints: "0\n0\n124\n", errors: "")
    }
}
