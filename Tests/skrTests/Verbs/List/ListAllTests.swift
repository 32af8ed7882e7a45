import Foundation
import TestSupport
import Testing

/// Runs a script as an ordinary user in a new session.
///
/// - Parameter user: Any user ID. A new one has no keyring yet.
private func asUser(_ user: Int, _ script: String) throws -> CommandRunner.Outcome {
    try CommandRunner().shell(
        #"""
        setpriv --reuid $OTHER --regid $OTHER --clear-groups keyctl session - bash -c "$SCRIPT" 2> >(grep -v "^Joined session" >&2)
        """#, environment: ["OTHER": "\(user)", "SCRIPT": script, "SKR_NAMESPACE": "", "SKR_SCOPE": ""])
}

private let asOther = "setpriv --reuid $OTHER --regid $OTHER --clear-groups"
private let mayUnshare =
    (try? CommandRunner().shell("\(asOther) unshare -Ur true", environment: ["OTHER": "1000000"]))?.exitCode == 0

@Suite("skr list --all, and hints about missing items")
struct ListAllTests: ScriptTests {
    @Test("--all lists every namespace, with scope and namespace first, and ignores the environment")
    func namespaces() throws {
        let error = """
            skr: error: --all can't be combined with --scope or --namespace
            skr: hint: leave out --all, or both --scope and --namespace

            """
        try expect(
            #"""
            printf 1 | skr set b --namespace n91; printf 1 | skr set a --namespace n9; printf 1 | skr set c me --timeout 90m
            printf 1 | skr set gone --namespace empty; skr clear --namespace empty
            SKR_SCOPE=nonsense SKR_NAMESPACE=n9 skr list --all | grep ^session; skr list --all b
            skr list --all --json c | jq -c '[.[0].scope, .[0].namespace, (.[0] | keys | length)]'
            skr list --all --scope session; echo $?; skr list --namespace n9 --all; echo $?
            """#, environment: ["SKR_NAMESPACE": ""],
            prints: """
                session\tdefault\tpassword\tc\tme\t1\t1h
                session\tn9\tpassword\ta\t\t1\t-
                session\tn91\tpassword\tb\t\t1\t-
                session\tn91\tpassword\tb\t\t1\t-
                ["session","default",12]
                64
                64

                """,
            withErrors: error + error)
    }

    @Test(
        "--all lists all three scopes, and the hint about a missing item names each of them", .tags(.root),
        .enabled(if: isRoot))
    func scopes() throws {
        let outcome = try asUser(
            60_438,
            #"""
            trap 'keyctl clear @u; keyctl invalidate $(keyctl get_persistent @s)' EXIT
            for scope in session user persistent; do printf 1 | skr set of-$scope --scope $scope; done
            printf 1 | skr set work --scope user --namespace work; skr cached kept --scope persistent --timeout 90m -- true
            skr list --all; for scope in session user persistent; do skr get of-$scope; skr get of-session --scope $scope; done
            skr get work; skr get work --scope user; skr get kept
            """#)
        #expect(
            outcome.output == """
                session\tdefault\tpassword\tof-session\t\t1\t-
                user\tdefault\tpassword\tof-user\t\t1\t-
                user\twork\tpassword\twork\t\t1\t-
                persistent\tdefault\tcached\tkept\t\t0\t1h
                persistent\tdefault\tpassword\tof-persistent\t\t1\t-
                11
                """)
        #expect(
            outcome.errors == """
                skr: error: of-user: no such item, or it has expired
                skr: hint: it is in the scope user: add --scope user
                skr: error: of-session: no such item, or it has expired (scope user)
                skr: hint: it is in the scope session: add --scope session
                skr: error: of-persistent: no such item, or it has expired
                skr: hint: it is in the scope persistent: add --scope persistent
                skr: error: of-session: no such item, or it has expired (scope persistent)
                skr: hint: it is in the scope session: add --scope session
                skr: error: work: no such item, or it has expired
                skr: hint: it is in the scope user and the namespace work: add --scope user --namespace work
                skr: error: work: no such item, or it has expired (scope user)
                skr: hint: it is in the namespace work: add --namespace work
                skr: error: kept: no such item, or it has expired
                skr: hint: 'kept' is an output stored by 'skr cached' in the scope persistent: 'skr cached kept --scope persistent ... -- CMD' prints it; 'skr cached --forget kept --scope persistent' deletes it

                """)
    }

    @Test(
        "without /proc, the user scope is listed if the session links its keyring", .tags(.root), .enabled(if: isRoot))
    func linkedKeyring() throws {
        let user = Int.random(in: 1_000_000...2_000_000_000)
        let outcome = try CommandRunner().shell(
            #"""
            unshare -m bash -c 'umount -l /proc; exec "$@"' bash setpriv --reuid $OTHER --regid $OTHER --clear-groups \
                keyctl session - bash -c 'keyctl link @u @s; printf 1 | skr set a --scope user; skr list --all' 2>&1 | grep ^user
            """#,
            environment: ["OTHER": "\(user)", "SKR_NAMESPACE": "", "SKR_SCOPE": ""])
        #expect(outcome.output == "user\tdefault\tpassword\ta\t\t1\t?\n", "\(outcome)")
    }

    @Test(
        "neither --all nor the hint creates a keyring", .tags(.root), .enabled(if: isRoot),
        arguments: ["", "umount -l /proc; "])
    func makesNothing(hiding: String) throws {
        // A user ID that nobody has used yet.
        let user = Int.random(in: 1_000_000...2_000_000_000)
        let outcome = try CommandRunner().shell(
            #"""
            as() { unshare -m bash -c "$HIDING"'exec "$@"' bash setpriv --reuid $OTHER --regid $OTHER --clear-groups "$@"; }
            keyctl session - bash -c "$(declare -f as)"'
                as skr list --all; as keyctl session - skr list --all; as keyctl session named-$OTHER skr list --all
                as keyctl session - skr get nothing; as keyctl session - skr delete nothing --namespace other
                as keyctl session - bash -c "printf 1 | skr set a; skr list --all; skr get b"' 2> >(grep -v "^Joined session" >&2)
            HIDING=; made() { as grep -cE "_(uid|uid_ses|persistent)\.$OTHER: " /proc/keys; }
            made; as skr list --scope user; made
            """#,
            environment: ["OTHER": "\(user)", "HIDING": hiding, "SKR_NAMESPACE": "", "SKR_SCOPE": ""])
        #expect(
            outcome.output == "session\tdefault\tpassword\ta\t\t1\t\(hiding.isEmpty ? "-" : "?")\n0\n2\n", "\(outcome)")
        let warning = "skr: warning: scope user is left out: skr can't tell whether it exists"
        #expect(outcome.errors.contains(warning) != hiding.isEmpty)
    }

    @Test(
        "the persistent keyring is neither created nor renewed, but its items are found", .tags(.root),
        .enabled(if: isRoot))
    func persistent() throws {
        let outcome = try asUser(
            60_439,
            #"""
            trap 'keyctl invalidate $(keyctl get_persistent @s); keyctl clear @u' EXIT
            left() { awk -v name=_persistent.$(id -u): '$9 == name { print $4 }' /proc/keys; }
            skr list --all; skr get a 2>/dev/null; echo "none: $(left)"
            printf 1 | skr set a --scope persistent; full=$(left)
            # Waits until a whole unit less is shown than for a new keyring.
            for ((i = 0; i < 200; i++)); do [ "$(left)" != "$full" ] && break; sleep 0.02; done; less=$(left)
            for ((i = 0; i < 5; i++)); do skr list --all; [ "$(left)" = "$less" ] || echo renewed; skr get a 2>/dev/null; [ "$(left)" = "$less" ] || echo renewed; done | sort | uniq -c
            # Shows that a renewal would be seen: opening the scope renews the keyring.
            for ((i = 0; i < 200; i++)); do skr list --scope persistent >/dev/null; [ "$(left)" != "$less" ] && break; done
            [ $i -lt 200 ] && echo "a renewal shows"
            """#)
        #expect(outcome.errors == "")
        #expect(
            outcome.output.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } } == [
                "none: ", "5 persistent\tdefault\tpassword\ta\t\t1\t-", "a renewal shows",
            ], "\(outcome)")
    }

    @Test(
        "a scope that denies access is reported and left out; a hidden facility is error 69", .tags(.root),
        .enabled(if: isRoot))
    func refused() throws {
        let outcome = try asUser(
            60_441,
            #"""
            trap 'keyctl clear @u' EXIT; printf 1 | skr set a --scope user; printf 1 | skr set b --namespace closed
            keyctl setperm $(keyctl search @s keyring skr:closed) 0x01010000; skr list --all | cut -f 1-4; keyctl revoke @s; skr list --all | cut -f 1-4
            """#)
        #expect(outcome.output == "user\tdefault\tpassword\ta\nuser\tdefault\tpassword\ta\n")
        let warnings = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("skr: warning: ") }
        #expect(warnings.count == 2, "\(outcome)")
        let closed =
            "skr: warning: scope session, namespace closed is left out: this process has no access to the keyring"
        #expect(warnings.first?.hasPrefix(closed) == true, "\(outcome)")
        let revoked =
            "skr: warning: scope session is left out: this login session has ended and its keyring was revoked"
        #expect(warnings.last?.hasPrefix(revoked) == true, "\(outcome)")
    }

    @Test(
        "if /proc/keys is hidden or masked, a warning says that a scope might be left out",
        .tags(.root), .enabled(if: isRoot, "needs root to mount in its own namespace"),
        arguments: ["umount -l /proc", "mount --bind /dev/null /proc/keys"])
    func masked(hiding: String) throws {
        let outcome = try expect(
            "printf 1 | skr set a; unshare -m bash -c '\(hiding); skr list --all | grep ^session; skr list >/dev/null'",
            environment: ["SKR_NAMESPACE": ""], prints: "session\tdefault\tpassword\ta\t\t1\t?\n")
        let warning = """
            skr: warning: /proc/keys is hidden: the time left is unknown, and a scope might be left out
            skr: hint: mount /proc, and don't let the container mask /proc/keys

            """
        #expect(outcome.errors.components(separatedBy: warning).count == 2, "\(outcome)")
    }

    @Test("a hidden key facility is error 69", arguments: [EPERM, ENOSYS])
    func blocked(error: CInt) async throws {
        await #expect(processExitsWith: .exitCode(69)) { [error = error as CInt] in
            TestedPrograms.become("list --all", behindFilter: -1, error)
        }
    }

    @Test(
        "in a user namespace, the persistent scope is left out with a message only if a persistent keyring exists",
        .tags(.root), .enabled(if: mayUnshare, "becomes another user in a new user namespace"))
    func persistentInUserNamespace() throws {
        // A random user ID, which has no persistent keyring yet.
        let user = Int.random(in: 1_000_000...2_000_000_000)
        let outcome = try CommandRunner().shell(
            #"""
            copy=$(mktemp -d); chmod 755 $copy; trap 'rm -rf $copy' EXIT
            cp $(command -v skr) $copy/skr; export PATH=$copy:$PATH
            \#(asOther) keyctl session - unshare -Ur bash -c '
                printf 1 | skr set a; skr list --all 2>&1 | grep -c "scope persistent"; skr list --all | cut -f 1,4
                keyctl get_persistent @s >/dev/null; skr list --all 2>&1 | grep -c "scope persistent is left out"'
            """#, environment: ["OTHER": "\(user)", "SKR_NAMESPACE": "", "SKR_SCOPE": ""])
        #expect(outcome.output == "0\nsession\ta\n1\n", "\(outcome)")
    }
}
