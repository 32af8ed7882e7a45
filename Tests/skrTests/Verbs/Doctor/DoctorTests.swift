import Foundation
import TestSupport
import Testing

private let mayUnshare = (try? CommandRunner().shell("unshare -Ur true"))?.exitCode == 0

private func asUser(_ id: Int, _ command: String) -> String {
    "setpriv --reuid \(id) --regid \(id) --clear-groups \(command)"
}

@Suite("skr doctor, environment by environment")
struct DoctorTests: ScriptTests {
    @Test("in a new session, all scopes are usable, and the session is described as keyctl shows it")
    func ownSession() throws {
        let found = try doctor(#"keyctl session - bash -c "skr doctor --json; keyctl id @s >&2""#)
        found.expect(0, ["session": "ok", "user": "ok"])
        #expect(found.whole["usable"] as? Bool == true)
        #expect(found.facts("session")["name"] as? String == "_ses")
        #expect(found.facts("session")["possessed"] as? Bool == true)
        #expect(found.facts("session")["linksUserKeyring"] as? Bool == false)
        #expect(found.facts("session")["usable"] as? Bool == true)
        let serial = try #require(found.outcome.errors.split(separator: "\n").last)
        #expect(found.facts("session")["serial"] as? Int == Int(serial))
        #expect(found.facts("user")["possessed"] as? Bool == false)
        #expect(found.text("session").hasSuffix(", possessed, does not link the user keyring)"))
        #expect(found.text("user").hasSuffix(", not possessed)"))
    }

    @Test("if there isn't a session keyring, the doctor reports that processes share the user's")
    func standIn() throws {
        let found = try doctor(#"skr doctor --json; keyctl rdescribe @s >&2"#)
        let isStandIn = found.outcome.errors.contains(";_uid_ses.")
        #expect(found.text("session").contains("without a session share _uid_ses.") == isStandIn)
        // With sudo, root's tests run in the login of another user.
        let isOwn = found.outcome.errors.split(separator: "\n").contains { $0.hasPrefix("keyring;\(geteuid());") }
        #expect((found.hint("session") != nil) == (isStandIn || !isOwn))
        #expect(found.outcome.exitCode == 0)
    }

    @Test("a revoked session is a problem with a hint, but the user scope still works")
    func revoked() throws {
        let found = try doctor(#"keyctl session - bash -c "keyctl revoke @s; skr doctor --json" 2>/dev/null"#)
        found.expect(0, ["session": "problem", "user": "ok"])
        #expect(found.text("session").contains("its keyring was revoked"))
        #expect(found.hint("session")?.contains("skr session") == true)
        #expect(found.facts("session")["usable"] as? Bool == false)
    }

    @Test("another user's session is a warning that names the user", .tags(.root), .enabled(if: isRoot))
    func foreign() throws {
        let found = try doctor("keyctl session - \(asUser(60_402, "skr doctor --json"))")
        found.expect(0, ["session": "warning"])
        let bothDirections = "session of uid 0, who can read the secrets in it and replace them"
        #expect(found.text("session").hasPrefix("\(bothDirections); skr refuses to store in it;"))
        let meant = try doctor("keyctl session - \(asUser(60_402, "env SKR_SCOPE=session skr doctor --json"))")
        #expect(meant.text("session").hasPrefix("\(bothDirections); with SKR_SCOPE=session, skr stores in it anyway;"))
        #expect((found.whole["facts"] as? JSON)?["quota"].map { ($0 as? [JSON])?.count } == 2)
    }

    @Test(
        "a session in which another user also stores is a warning that names that user", .tags(.root),
        .enabled(if: isRoot))
    func shared() throws {
        let store = asUser(60_407, "skr set a --scope session")
        let found = try doctor(#"keyctl session - bash -c "printf 1 | \#(store); skr doctor --json""#)
        #expect(found.verdict("session") == "warning")
        #expect(
            found.text("session").hasPrefix(
                "other users store in this session, and can read the secrets in it: uid 60407;"))
        #expect(found.facts("session")["otherUsers"] as? [Int] == [60_407])
        #expect(found.facts("user")["otherUsers"] as? [Int] == [])
    }

    @Test("a session that the user's other processes can link is a warning")
    func namedSession() throws {
        let found = try doctor("keyctl session skr-test-$$ skr doctor --json")
        #expect(found.verdict("session") == "warning")
        #expect(found.text("session").contains("can link this session"))
    }

    @Test(
        "a named session is ok, also if a shell's start-up file joins it",
        arguments: [
            "skr session --name $name -- skr doctor --json", "bash -c 'skr session --join $name; skr doctor --json'",
        ])
    func sessionOfSkr(script: String) throws {
        let found = try doctor("export name=skr-test-$$; keyctl session - \(script)")
        let name = try #require(found.facts("session")["name"] as? String)
        #expect(name.hasPrefix("skr-test-"))
        #expect(found.verdict("session") == "ok" && found.hint("session") == nil, "\(found.outcome)")
        #expect(
            found.text("session").hasPrefix(
                "session '\(name)', which all your processes can join and read; a secret was stored and read back ("))
    }

    @Test("a named session that other users can link is a warning, which does not undo the name")
    func openNamedSession() throws {
        let script = "keyctl setperm @s 0x3f1b0010; skr doctor --json"
        let found = try doctor("keyctl session - skr session --name skr-test-$$ -- bash -c '\(script)'")
        #expect(found.verdict("session") == "warning")
        #expect(found.text("session").hasPrefix("processes of other users can link this session and read it; "))
        #expect(found.hint("session") == "keyctl setperm @s 0x3f0b0000")
    }

    @Test(
        "a quota of which 70 % is used is a warning, and a full quota makes every scope unusable",
        .tags(.root), .enabled(if: isRoot))
    func quota() throws {
        let nearly = try doctor(
            asUser(
                60_403,
                #"keyctl session - bash -c "head -c 14000 /dev/zero | keyctl padd user big @s >/dev/null; skr doctor --json""#
            ))
        nearly.expect(0, ["quota": "warning"])
        #expect(nearly.hint("quota") == "sudo sysctl -w kernel.keys.maxkeys=2000 kernel.keys.maxbytes=2000000")
        #expect(nearly.text("quota").hasSuffix("until the machine restarts; the package skr-quota keeps them raised"))
        let full = try doctor(
            asUser(
                60_404,
                #"keyctl session - bash -c "for i in {1..220}; do keyctl add user k\$i x @s; done >/dev/null 2>&1; skr doctor --json""#
            ))
        full.expect(69, ["quota": "problem", "session": "problem"])
        #expect(full.text("session").contains("quota is full"))
        #expect(full.outcome.errors.contains("skr: error: no scope keeps secrets here\nskr: hint: "))
    }

    @Test("a filter that blocks the key facility is named, with exit code 69", arguments: [EPERM, ENOSYS])
    func blocked(error: CInt) async throws {
        let found = try await doctor(behindFilter: -1, error, endsWith: 69)
        found.expect(69, ["calls": "problem", "session": "problem", "user": "problem"])
        #expect(found.text("calls").contains("a seccomp filter, as in a container, blocks add_key"))
        #expect(found.hint("calls")?.contains("seccomp") == true)
        #expect(found.facts("calls")["blocked"] as? [String] == ["add_key", "keyctl", "request_key"])
        #expect(found.hint("features") == found.hint("calls"))
    }

    @Test("a kernel that accepts writes but refuses reads is never reported as usable")
    func unreadable() async throws {
        // The filter denies KEYCTL_READ.
        let found = try await doctor(behindFilter: 11, EPERM, endsWith: 69)
        #expect(found.whole["usable"] as? Bool == false)
        found.expect(69, ["calls": "ok", "session": "problem", "user": "problem"])
    }

    @Test("a user namespace is a warning", .enabled(if: mayUnshare))
    func userNamespace() throws {
        let found = try doctor("keyctl session - unshare -Ur skr doctor --json")
        found.expect(0, ["user-namespace": "warning", "session": "ok"])
        #expect(found.facts("user-namespace")["isInitial"] as? Bool == false)
    }

    @Test(
        "without /proc, doctor and all verbs still work, and doctor reports what is unknown", .tags(.root),
        .enabled(if: isRoot))
    func withoutProc() throws {
        let found = try doctor(
            #"keyctl session - unshare -m bash -c "umount -l /proc; printf 1 | skr set a --timeout 5m; skr list >&2; skr doctor --json""#
        )
        #expect(found.outcome.errors.hasSuffix("password\ta\t\t1\t?\n"))
        found.expect(
            0, ["session": "ok", "time-left": "warning", "user-namespace": "warning", "quota": "warning"])
        #expect(found.text("quota") == "uid 0 unknown: /proc/key-users can't be read")
        #expect(found.text("time-left").hasPrefix("unknown: /proc/keys can't be read;"))
        #expect(found.facts("time-left")["known"] as? Bool == false)
    }

    @Test("a filter that blocks mlock2 is reported as a filter, and not as a limit", arguments: [EPERM, ENOSYS])
    func memoryLockFiltered(error: CInt) async throws {
        // The filter denies mlock2.
        let found = try await doctor(behindFilter: -4, error, endsWith: 0)
        #expect(found.verdict("memory-lock") == "warning")
        #expect(
            found.text("memory-lock").hasSuffix("a seccomp filter, as in a container, blocks mlock2 (errno \(error))"))
        #expect(found.hint("memory-lock")?.hasSuffix("PROFILE.json allows mlock2") == true)
        #expect(found.facts("memory-lock")["errno"] as? Int == Int(error))
    }

    @Test(
        "a limit that is too small is reported, with mlock2's errno", .tags(.root), .enabled(if: isRoot),
        arguments: [0, 4_096])
    func memoryLockLimited(limit: Int) throws {
        let found = try doctor(
            "prlimit --memlock=\(limit):\(limit) \(asUser(60_405, "keyctl session - skr doctor --json"))")
        #expect(found.text("memory-lock").hasSuffix("RLIMIT_MEMLOCK is too small (\(limit) bytes)"))
        found.expect(0, ["memory-lock": "warning"])
        #expect(found.facts("memory-lock")["locked"] as? Bool == false)
        #expect(found.facts("memory-lock")["limit"] as? Int == limit)
        let expected = limit == 0 ? EPERM : ENOMEM
        #expect(found.facts("memory-lock")["errno"] as? Int == Int(expected))
    }

    @Test(
        "the memory hint uses ulimit if the hard limit allows 8 MiB, and sudo otherwise", .tags(.root),
        .enabled(if: isRoot),
        arguments: [(8_388_608, "ulimit -S -l 8192"), (8_388_607, "sudo prlimit ")])
    func memoryLockHint(hard: Int, hint: String) throws {
        let found = try doctor("prlimit --memlock=0:\(hard) \(asUser(60_405, "keyctl session - skr doctor --json"))")
        #expect(found.hint("memory-lock")?.hasPrefix(hint) == true, "\(found.outcome)")
    }

    @Test(
        "another user's key never makes the doctor request, and so create, a persistent keyring",
        .tags(.root), .enabled(if: isRoot),
        arguments: [
            "keyctl newring _persistent.60408 @s", "\(asUser(60_408, "keyctl newring _persistent.60408 @s"))",
            #"keyctl add user $'x\n7531c66f I------     1 perm 1f030000 60408 65534 keyring   _persistent.60408: empty' x @s"#,
        ])
    func plantedPersistent(plant: String) throws {
        let outcome = try run(
            "keyctl setperm $(\(plant)) 0x3f3f0003; \(asUser(60_408, "skr doctor")) | grep ^ok.*persistent")
        #expect(outcome.output.contains("not tried, because that could create the keyring"), "\(outcome)")
    }

    @Test(
        "the doctor works in pid namespaces that share a session, at the same time", .tags(.root), .enabled(if: isRoot))
    func pidNamespaces() throws {
        try checkPidNamespaces(runsOfEach: 2)
    }

    @Test(
        "the doctor works in pid namespaces that share a session, many times", .tags(.root, .long), .enabled(if: isRoot)
    )
    func manyInPidNamespaces() throws {
        try checkPidNamespaces(runsOfEach: 10)
    }

    /// Runs the doctor in eight loops at the same time, each time in a new namespace.
    private func checkPidNamespaces(runsOfEach runs: Int) throws {
        try expect(
            #"""
            for i in {1..8}; do
                for ((j = 0; j < \#(runs); j++)); do unshare -pf skr doctor; done &
            done | grep -c "^ok *session"
            keyctl rlist @s | wc -w
            """#, prints: "\(8 * runs)\n0\n")
    }

    @Test("a restricted session is reported with its serial, and storing in it ends with 77")
    func restricted() throws {
        let found = try doctor(
            #"""
            keyctl session - bash -c "keyctl restrict_keyring @s; printf 1 | skr set a; echo \$? >&2; skr doctor --json"                 2> >(grep -v "^Joined" >&2)
            """#)
        let serial = try #require(found.facts("session")["serial"] as? Int)
        #expect(found.verdict("session") == "problem")
        #expect(found.text("session").contains(" (keyring \(serial) _ses, uid \(geteuid()), "))
        #expect(found.text("session").contains("keyring \(serial) is restricted: no key can be added to it"))
        #expect(found.hint("session") == "exec skr session")
        #expect(
            found.outcome.errors.hasPrefix(
                "skr: error: a program has restricted the keyring, so nothing can be stored in it\nskr: hint: "))
        #expect(found.outcome.errors.contains("keyring \(serial) is restricted (errno"))
        #expect(found.outcome.errors.hasSuffix("\n77\n"))
    }

    @Test(
        "doctor leaves the user's keyrings unchanged, and only on request creates a persistent one",
        .tags(.root), .enabled(if: isRoot))
    func leavesNothing() throws {
        let outcome = try CommandRunner().shell(
            asUser(
                60_406,
                #"""
                keyctl session - bash -c '
                    state() { for ring in @s @u; do keyctl rlist $ring | tr " " "\n" | sort; done; }
                    before=$(state); skr doctor >/dev/null; [ "$before" = "$(state)" ] && echo same
                    grep -c "_persistent.60406" /proc/keys
                    SKR_SCOPE=persistent skr doctor --json | grep -A 14 "\"persistent\" : {" | grep -c "\"usable\" : true"
                    ring=$(keyctl get_persistent @s); keyctl rlist $ring | wc -w; keyctl invalidate $ring
                ' 2>/dev/null
                """#))
        #expect(outcome.output == "same\n0\n1\n0\n")
    }
}

/// Runs `skr doctor --json` with a filter of `test_filter_install`.
private func doctor(behindFilter operation: CInt, _ error: CInt, endsWith code: CInt) async throws -> Diagnosis {
    let result = try await #require(processExitsWith: .exitCode(code), observing: [\.standardOutputContent]) {
        [operation = operation as CInt, error = error as CInt] in
        TestedPrograms.become("doctor --json", behindFilter: operation, error)
    }
    return try Diagnosis(
        .init(exitCode: code, output: String(decoding: result.standardOutputContent, as: UTF8.self), errors: ""))
}
