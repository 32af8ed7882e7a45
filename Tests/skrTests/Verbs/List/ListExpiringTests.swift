import Glibc
import TestSupport
import Testing

@Suite("skr list --expiring")
struct ListExpiringTests: ScriptTests {
    @Test("--expiring lists items with less time left, never items without a timeout")
    func expiring() throws {
        let outcome = try run(
            #"""
            printf 1 | skr set never; skr list --expiring 10000d; echo $?
            printf 1 | skr set soon --timeout 5m; printf 1 | skr set later --timeout 119m; skr cached kept --timeout 30s -- true
            try() { skr list "$@" | cut -f 1-3 | tr '\n\t' '  '; echo "${PIPESTATUS[0]}"; }
            try --expiring 4m; try --expiring 1s; try --expiring 0; try --expiring 1h; try --expiring 3601; try --expiring 3600
            try later --expiring 2h; try soon --expiring 2m; try 's*' --expiring 1d; try --all --expiring 1h
            skr list --expiring 10m --json | jq -r '.[].service'; skr list --expiring 1s --json; echo $?; skr list --expiring 10x 2>/dev/null; echo $?
            """#)
        #expect(outcome.errors == "")
        let namespace = outcome.output.split(separator: "\n").first { $0.hasPrefix("session") }?.split(separator: " ")[
            1]
        #expect(
            outcome.output == """
                1
                cached kept  0
                1
                1
                cached kept  password soon  0
                cached kept  password later  password soon  0
                cached kept  password soon  0
                password later  0
                1
                password soon  0
                session \(namespace ?? "") cached session \(namespace ?? "") password 0
                kept
                soon
                1
                64

                """)
    }

    @Test("if no item matches, nothing is printed, even on a terminal")
    func silent() throws {
        #expect(try TerminalRunner().runQuietly("printf 1 | skr set a; skr list --expiring 10m; echo $?") == "1\n")
    }

    @Test(
        "a hidden or masked /proc/keys is error 69",
        .tags(.root), .enabled(if: isRoot, "needs root to mount"),
        arguments: ["umount -l /proc", "mount --bind /dev/null /proc/keys"])
    func hidden(hiding: String) throws {
        let outcome = try expect(
            #"""
            printf 1 | skr set a --timeout 5m
            unshare -m bash -c "\#(hiding); skr list --expiring 10m; echo \$?; skr list --expiring 10m --all; echo \$?"
            """#, prints: "69\n69\n")
        let lines = outcome.errors.split(separator: "\n").filter {
            !$0.contains("left out") && !$0.contains("lists it, and") && !$0.hasSuffix("mask /proc/keys")
        }
        #expect(
            lines == [
                "skr: error: the time left is unknown: /proc/keys is hidden",
                "skr: hint: mount /proc, and don't let the container mask /proc/keys; timeouts work anyway",
                "skr: error: the time left is unknown: /proc/keys is hidden",
                "skr: hint: mount /proc, and don't let the container mask /proc/keys; timeouts work anyway",
            ])
    }

    @Test(
        "an item whose time left is hidden, as in a user namespace, is also error 69",
        .tags(.root), .enabled(if: isRoot, "needs root to become another user"))
    func hiddenItem() throws {
        try expect(
            #"""
            copy=$(mktemp -d); chmod 755 $copy; trap 'rm -rf $copy' EXIT; cp $(command -v skr) $copy/skr
            printf 1 | skr set a --timeout 5m
            # The process has its own key, so that /proc/keys is not empty there.
            setpriv --reuid 60442 --regid 60442 --clear-groups unshare -Ur sh -c "keyctl add user mine x @u >/dev/null; $copy/skr list | cut -f 5; $copy/skr list --expiring 10m; echo \$?"
            """#, prints: "?\n69\n")
    }
}
