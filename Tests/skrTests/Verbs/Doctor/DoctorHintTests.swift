import Foundation
import TestSupport
import Testing

import skr

private let mayRaiseLimit: Bool = {
    let raise = "prlimit --memlock=0:0 setpriv --bounding-set=-ipc_lock prlimit --memlock=8388608:8388608 true"
    return (try? CommandRunner().shell(raise))?.exitCode == 0
}()

/// The doctor's hints, without their associated values.
enum HintKind: CaseIterable {
    case newSession, hideSession, sayScope, moreQuota, listItems, raiseOwnLimit, raiseLimit
    case mountProc, allowCalls, allowMemoryLock, newKernel, showKeyrings, correctSources

    /// Returns the kind of a hint.
    ///
    /// A new hint does not compile without one.
    init(_ hint: DoctorHint) {
        self =
            switch hint {
            case .newSession: .newSession
            case .hideSession: .hideSession
            case .sayScope: .sayScope
            case .moreQuota: .moreQuota
            case .listItems: .listItems
            case .raiseOwnLimit: .raiseOwnLimit
            case .raiseLimit: .raiseLimit
            case .mountProc: .mountProc
            case .allowCalls: .allowCalls
            case .allowMemoryLock: .allowMemoryLock
            case .newKernel: .newKernel
            case .showKeyrings: .showKeyrings
            case .correctSources: .correctSources
            }
    }
}

/// A problem that the doctor finds, and what must still exist after its hint was followed.
struct Problem: Sendable, CustomTestStringConvertible {
    let kind: HintKind
    let testDescription: String
    /// The check that finds the problem.
    let check: String
    /// Causes the problem, calls `follow`, and prints what must not change.
    let script: String
    let expected: String

    init(_ kind: HintKind, _ what: String, check: String, _ script: String, expected: String = "kept\n") {
        self.kind = kind
        self.testDescription = what
        self.check = check
        self.script = script
        self.expected = expected
    }
}

/// Runs each hint as a command in a shell.
///
/// In that shell, the doctor must then report ok, and the session must be unchanged.
@Suite(
    "The doctor's hints, run unchanged", .tags(.root),
    .enabled(if: isRoot, "needs root to become other users and to mount /proc"))
struct DoctorHintTests {
    /// The hints that no test runs, with the reasons.
    static let notRun: [HintKind: String] = {
        var reasons: [HintKind: String] = [
            .moreQuota: "raises the limits of the whole machine, for everything that runs on it",
            .allowCalls: "needs Docker and the user's own profile, to replace the words in capitals",
            .allowMemoryLock: "needs Docker and the user's own profile, to replace the words in capitals",
            .newKernel: "shows the kernel's version, which only a reboot changes",
            .showKeyrings: "shows where to look, followed by instructions in words",
        ]
        if !mayRaiseLimit { reasons[.raiseLimit] = "root lacks CAP_SYS_RESOURCE here" }
        return reasons
    }()

    @Test("every kind of hint is run, or has a reason not to be")
    func complete() {
        let followed = Set(Self.problems.map(\.kind))
        #expect(followed.isDisjoint(with: Self.notRun.keys))
        #expect(followed.union(Self.notRun.keys) == Set(HintKind.allCases))
    }

    @Test("after following a hint, the doctor reports ok and the session is intact", arguments: problems)
    func follow(_ problem: Problem) throws {
        let outcome = try CommandRunner().inSession(
            Self.tools + problem.script, environment: ["CHECK": problem.check])
        let parts = outcome.output.split(separator: "the doctor says ok\n", omittingEmptySubsequences: false)
        #expect(parts.count == 2, "\(outcome)")
        #expect(parts.last ?? "" == problem.expected, "\(outcome)")
    }

    /// Shell functions: `follow` runs the hint for CHECK, then its own arguments, then the doctor again.
    ///
    /// bash reads these lines from a pipe as it would from a terminal. If a line replaces the shell, the new shell
    /// reads the rest.
    private static let tools = #"""
        folder=$(mktemp -d); trap 'rm -rf $folder' EXIT; export SHELL=/bin/bash
        sudo() { "$@"; }
        check() { skr doctor --json | tr -d "\n" | grep -o "{[^{}]*\"id\" : \"$CHECK\"[^{}]*}" | sed -n "s/.*\"$1\" : \"\([^\"]*\)\".*/\1/p"; }
        follow() {
            local advice=$(check hint)
            printf '%s\n' "$advice" >&2
            [ -n "$advice" ] && printf '%s\n' "$advice" "$@" 'echo "the doctor says $(check verdict)"' | bash
        }
        as() { setpriv --reuid $1 --regid $1 --clear-groups "${@:2}"; }
        kept() { skr get kept; echo; }
        export -f sudo check follow as kept

        """#

    private static let problems = allTroubles.filter { notRun[$0.kind] == nil }
    private static let allTroubles = [
        Problem(
            .correctSources, "a sources file that others can write to", check: "sources",
            #"""
            export SKR_SOURCES=$folder/sources; echo "kept --timeout 1m --namespace $SKR_NAMESPACE -- echo kept" >$SKR_SOURCES; chmod g+w $SKR_SOURCES
            follow; kept
            """#),
        Problem(
            .newSession, "a session that can be joined by a name that isn't one of skr's", check: "session",
            #"""
            keyctl session _$SKR_NAMESPACE bash -c '
                keyctl setperm @s 0x3f1b0000
                printf kept | skr set kept; before=$(keyctl rdescribe @s); follow; kept
                [ "$before" = "$(keyctl rdescribe @s)" ] && echo same' 2>/dev/null
            """#, expected: "kept\nsame\n"),
        Problem(
            .newSession, "no session keyring", check: "session",
            #"""
            as 60420 bash -c 'keyctl show @us >/dev/null
                keyctl session _uid_ses.60420 bash -c "printf kept | skr set kept; follow; kept; skr clear" 2>/dev/null'
            """#),
        Problem(
            .newSession, "another user's session", check: "session",
            "printf kept | skr set kept; as 60421 bash -c follow; kept"),
        Problem(
            .newSession, "a session in which another user stores", check: "session",
            "printf kept | skr set kept; printf x | as 60422 skr set other --scope session; follow; kept"),
        Problem(
            .newSession, "a session that was revoked", check: "session",
            #"""
            as 60425 keyctl session - bash -c '
                printf kept | skr set kept --scope user; keyctl revoke @s; follow; skr get kept --scope user; echo
                skr delete kept --scope user' 2>/dev/null
            """#),
        Problem(
            .newSession, "a session that its own members can't use", check: "session",
            #"keyctl setperm @s 0x01000000; follow; echo kept"#),
        Problem(
            .newSession, "a session that is restricted", check: "session",
            "printf kept | skr set kept; keyctl restrict_keyring @s; follow; kept"),
        Problem(
            .hideSession, "a session that others can link", check: "session",
            #"""
            keyctl session $SKR_NAMESPACE bash -c '
                printf kept | skr set kept; before=$(keyctl rlist @s); follow; kept
                [ "$before" = "$(keyctl rlist @s)" ] && echo same' 2>/dev/null
            """#, expected: "kept\nsame\n"),
        Problem(
            .hideSession, "a named session that other users can link", check: "session",
            #"""
            skr session --name $SKR_NAMESPACE -- bash -c '
                keyctl setperm @s 0x3f1b0010; printf kept | skr set kept; follow; kept
                keyctl session - bash -c "skr session --name $SKR_NAMESPACE -- bash -c kept" 2>/dev/null'
            """#, expected: "kept\nkept\n"),
        Problem(
            .sayScope, "a user namespace", check: "user-namespace",
            "printf kept | skr set kept; unshare -Ur bash -c 'follow; kept'"),
        Problem(
            .mountProc, "no /proc", check: "time-left",
            "printf kept | skr set kept; unshare -m bash -c 'umount -l /proc; follow; kept'"),
        Problem(
            .listItems, "a full quota, without /proc", check: "session",
            #"""
            unshare -m bash -c 'umount -l /proc; as 60423 keyctl session - bash -c "
                head -c 18000 /dev/zero | skr set big
                for size in 500 20 1; do for i in {1..60}; do
                    head -c \$size /dev/zero | keyctl padd user \$size.\$i @s || break
                done; done >/dev/null
                follow \"skr clear\""' 2>/dev/null; echo kept
            """#),
        Problem(
            .raiseOwnLimit, "a limit of locked memory that the user can raise", check: "memory-lock",
            "prlimit --memlock=0:8388608 bash -c 'as 60424 keyctl session - bash -c follow' 2>/dev/null; echo kept"),
        Problem(
            .raiseLimit, "a limit of locked memory that only root can raise", check: "memory-lock",
            "prlimit --memlock=0:0 setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock bash -c follow; echo kept"),
    ]
}
