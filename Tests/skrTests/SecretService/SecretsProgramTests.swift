import Foundation
import TestSupport
import Testing

/// Tests of the program `skr-secrets`.
@Suite("The program skr-secrets")
struct SecretsProgramTests: ScriptTests {
    /// Functions: `folder` prints the folder of the address, and `gone` waits until one has disappeared.
    let preparation = #"""
        unset DBUS_SESSION_BUS_ADDRESS; export XDG_RUNTIME_DIR=
        folder() { dirname "${DBUS_SESSION_BUS_ADDRESS#unix:path=}"; }
        gone() { for i in {1..100}; do [ -e "$1" ] || { echo gone; return; }; sleep 0.05; done; echo left; }
        export -f folder gone

        """#

    @Test("a command has a private socket and its own exit code, and the service ends with it")
    func command() throws {
        try expect(
            #"""
            skr-secrets -- bash -c 'skr-secrets --status | sed "s/unix.*/ADDRESS/; s/process.*/PROCESS/; s/$SKR_NAMESPACE/NAMESPACE/"
                stat -c "%a %F" "$(folder)" "$(folder)/bus"; folder >&2; exit 3' 2>$0.folder
            echo $?; gone "$(cat $0.folder)"; rm $0.folder
            """#.replacing("$0", with: "/tmp/skr-$SKR_NAMESPACE"),
            onlyPrints: """
                address: ADDRESS
                scope: session
                namespace: NAMESPACE
                timeout: never
                idle: never
                ends with: PROCESS
                collection: login (items: 0)
                collection: session (items: 0)
                bus: private
                calls: 1
                client: PROCESS
                700 directory
                600 socket
                3
                gone

                """)
    }

    @Test("the service of a command that ends at once ends, too")
    func shortCommand() throws { try run(shortCommands: 4) }

    @Test("the services of 20 commands that end at once end, too", .tags(.long))
    func shortCommands() throws { try run(shortCommands: 20) }

    private func run(shortCommands count: Int) throws {
        try expect(
            #"""
            export XDG_RUNTIME_DIR=$(mktemp -d); for i in {1..\#(count)}; do skr-secrets -- true; done
            for i in {1..100}; do [ -z "$(ls $XDG_RUNTIME_DIR)" ] && break; sleep 0.05; done; rmdir $XDG_RUNTIME_DIR && echo empty
            """#, prints: "empty\n")
    }

    @Test("a command's words, limits and descriptors are unchanged")
    func unchanged() throws {
        try expect(
            #"""
            ulimit -c 1000 2>/dev/null; show='printf "%s\n" "$@" | od -An -c | tr -d "\n"; ulimit -c; ls /proc/self/fd | wc -l'
            [ "$(bash -c "$show" x $'\xff' "a b" --)" = "$(skr-secrets -- bash -c "$show" x $'\xff' "a b" --)" ] && echo same
            """#, prints: "same\n")
    }

    @Test("eval starts one service for a login, which ends with the login's first process, in spite of nohup")
    func login() throws {
        // A command that nohup keeps running sees how the service ends.
        let outcome = try expect(
            #"""
            mkfifo /tmp/$SKR_NAMESPACE; setsid bash -c '
                eval "$(skr-secrets)"; first=$DBUS_SESSION_BUS_ADDRESS; eval "$(skr-secrets)"
                [ "$first" = "$DBUS_SESSION_BUS_ADDRESS" ] && echo same >&2
                bash -c "skr-secrets --status >/dev/null && echo answers" >&2
                nohup bash -c "gone $(folder)" </dev/null >/tmp/$SKR_NAMESPACE 2>/dev/null &'
            cat /tmp/$SKR_NAMESPACE; rm /tmp/$SKR_NAMESPACE
            """#, prints: "gone\n")
        #expect(outcome.errors.hasPrefix("same\nanswers\n"), "\(outcome)")
    }

    @Test(
        "the service ends when the session is revoked, when its socket is gone, and after a time without calls",
        arguments: [
            "-- bash -c 'keyctl revoke @s; gone $(folder)'", "-- bash -c 'rm $(folder)/bus; gone $(folder)'",
            "--idle 1s -- bash -c 'gone $(folder)'",
        ])
    func ends(words: String) throws {
        try expect("skr-secrets \(words)", prints: "gone\n")
    }

    @Test("the service ends when its folder is gone")
    func removedFolder() throws {
        try expect(
            #"""
            skr-secrets --namespace $SKR_NAMESPACE -- bash -c '
                is_there() { pgrep -f "^skr-secrets --namespace $SKR_NAMESPACE" >/dev/null; }
                is_there && rm -r $(folder) && for i in {1..100}; do is_there || { echo gone; break; }; sleep 0.05; done'
            """#, prints: "gone\n")
    }

    @Test("if the output of eval's form can't be written, the service ends")
    func unwrittenOutput() throws {
        try expect(
            #"""
            export XDG_RUNTIME_DIR=$(mktemp -d); setsid --wait bash -c '
                exec 3> >(true); wait $!; for output in /dev/full /dev/fd/3; do
                    skr-secrets > $output 2>/dev/null && echo succeeded
                    for i in {1..100}; do [ -z "$(ls $XDG_RUNTIME_DIR)" ] && break; sleep 0.05; done; rmdir $XDG_RUNTIME_DIR/* 2>/dev/null; ls $XDG_RUNTIME_DIR
                done'; rmdir $XDG_RUNTIME_DIR && echo removed
            """#, prints: "removed\n")
    }

    @Test("with few descriptors, the service answers, or the command does not run and no folder stays")
    func fewDescriptors() throws {
        try expect(
            #"""
            export XDG_RUNTIME_DIR=$(mktemp -d); for count in {5..12}; do
                answer=$(ulimit -S -n $count; skr-secrets -- sh -c 'ulimit -S -n 50; skr-secrets --status | grep -c bus:' 2>/dev/null)
                case $?$answer in 01 | 7[03]) ;; *) echo "$count: $answer" ;; esac
            done; for i in {1..100}; do rmdir $XDG_RUNTIME_DIR 2>/dev/null && break; sleep 0.05; done; ls $XDG_RUNTIME_DIR 2>/dev/null || echo removed
            """#, prints: "removed\n")
    }

    @Test("without /dev/null, the command does not run", .tags(.root), .enabled(if: isRoot, "needs root to hide it"))
    func withoutNull() throws {
        let outcome = try expect(
            #"""
            export XDG_RUNTIME_DIR=$(mktemp -d)
            unshare --mount bash -c 'mount -t tmpfs none /dev; skr-secrets -- echo started; echo $?'; rmdir $XDG_RUNTIME_DIR && echo removed
            """#, prints: "70\nremoved\n")
        #expect(outcome.errors.contains("check that /dev/null exists"), "\(outcome)")
    }

    @Test("the status shows the service's options, and eval warns if it asks for others")
    func options() throws {
        let warning = """
            skr-secrets: warning: the running service has other options, and keeps them
            skr-secrets: hint: 'skr-secrets --status' shows them; for yours, use 'skr-secrets OPTIONS -- CMD'
            0

            """
        try expect(
            #"""
            setsid --wait bash -c 'options=(--timeout 90m --timeout-for "service=gh:*=8h" --timeout-for a=b=never --idle 1h)
                eval "$(skr-secrets "${options[@]}")"; skr-secrets --status | sed -n "/^timeout/,/^ends/p" | sed "s/ $$$/ leader/"
                skr-secrets "${options[@]}" 2>&1; for other in "--timeout 8h" "--idle 2h" "--scope user" "--namespace other"; do
                    skr-secrets "${options[@]}" $other 2>&1; echo $?
                done' 2>/dev/null
            """#,
            prints: """
                timeout: 1h30m
                timeout-for: service=gh:*=8h
                timeout-for: a=b=never
                idle: 1h
                ends with: process leader
                \(String(repeating: warning, count: 4))
                """)
    }

    @Test("a killed service leaves a folder, which the next service removes; the secrets are still there")
    func killed() throws {
        try expect(
            #"""
            export XDG_RUNTIME_DIR=$(mktemp -d); trap 'rm -rf $XDG_RUNTIME_DIR' EXIT; mkdir $XDG_RUNTIME_DIR/skr-secrets-other
            skr-secrets --namespace $SKR_NAMESPACE -- bash -c 'printf s | skr set a; kill -9 $(pgrep -f "^skr-secrets --namespace $SKR_NAMESPACE")
                for i in {1..100}; do skr-secrets --status >/dev/null || break; sleep 0.05; done; ls -d $(folder) >/dev/null && echo left
                skr-secrets -- bash -c "skr-secrets --status | grep login; ls $XDG_RUNTIME_DIR | wc -l"'
            """#, prints: "left\ncollection: login (items: 1)\n2\n")
    }

    @Test("a path that is too long for a socket, or a folder that can't be used: the socket is in /tmp")
    func longPath() throws {
        try expect(
            #"""
            export XDG_RUNTIME_DIR=$(mktemp -d)/$(printf 'x%.0s' {1..90}); mkdir -p $XDG_RUNTIME_DIR
            for runtime in $XDG_RUNTIME_DIR /nowhere relative; do
                XDG_RUNTIME_DIR=$runtime skr-secrets -- bash -c 'folder | cut -c 1-17'
            done; rm -r "$(dirname $XDG_RUNTIME_DIR)"
            """#, prints: String(repeating: "/tmp/skr-secrets-\n", count: 3))
    }

    @Test(
        "a folder that others can change gets no socket", .tags(.root), .enabled(if: isRoot, "needs root"),
        arguments: [
            "chown 60459 a", "chown 60459 a/b", "chmod 777 a", "chmod 1777 a/b",
            "mv a/b a/c; ln -s c a/b; chown -h 60459 a/b",
        ])
    func foreignFolder(making: String) throws {
        try expect(
            #"""
            work=$(mktemp -d); trap 'rm -rf $work' EXIT; chmod 755 $work; cd $work; mkdir -p a/b; \#(making)
            XDG_RUNTIME_DIR=$work/a/b skr-secrets -- bash -c 'folder | cut -c 1-17'
            chown -hR 0 a; chmod 755 a a/b; XDG_RUNTIME_DIR=$work/a/b skr-secrets -- bash -c 'folder | sed "s|$0|W|; s/secrets.*/secrets/"' $work
            """#, prints: "/tmp/skr-secrets-\nW/a/b/skr-secrets\n")
    }

    @Test("the scope and the namespace are those of skr")
    func place() throws {
        try expect(
            #"""
            printf s | skr set a; skr-secrets -- skr-secrets --status | grep -E 'scope|login'
            skr-secrets --namespace other -- skr-secrets --status | grep login
            SKR_SCOPE=user skr-secrets -- skr-secrets --status | grep scope
            """#,
            prints: "scope: session\ncollection: login (items: 1)\ncollection: login (items: 0)\nscope: user\n")
    }

    @Test(
        "another user gets no answer, even if the folder lets them in", .tags(.root), .enabled(if: isRoot, "needs root")
    )
    func otherUser() throws {
        let outcome = try expect(
            #"""
            skr-secrets -- bash -c 'chmod 755 $(folder); chmod 666 $(folder)/bus; skr-secrets --status | grep -c bus:
                for user in 60459 65534; do setpriv --reuid $user --regid $user --clear-groups skr-secrets --status; done | sed s/at.*/at/'
            setpriv --reuid 65534 --regid 65534 --clear-groups skr-secrets -- echo started; echo $?
            """#, prints: "1\nno Secret Service answers at\nno Secret Service answers at\n77\n")
        #expect(outcome.errors.contains("the user nobody stands for all users of other namespaces"), "\(outcome)")
    }

    @Test("the bus in another user's folder is not used", .tags(.root), .enabled(if: isRoot, "needs root"))
    func foreignBus() throws {
        try expect(
            #"""
            work=$(mktemp -d); trap 'rm -r $work' EXIT; skr-secrets -- bash -c 'ln -s $(folder)/bus $0; unset DBUS_SESSION_BUS_ADDRESS
                for user in 0 60459; do chown $user $0; XDG_RUNTIME_DIR=$0 skr-secrets --status | tail -n +2 | head -n 1; done' $work
            """#, prints: "scope: session\n")
    }

    @Test("the bus of another user is not used", .tags(.root), .enabled(if: isRoot, "needs root"))
    func otherBus() throws {
        let outcome = try expect(
            #"""
            { read -r address; read -r bus; } < <(setpriv --reuid daemon --regid daemon --clear-groups dbus-daemon --session --fork --print-address=1 --print-pid=1)
            DBUS_SESSION_BUS_ADDRESS=$address timeout 9 skr-secrets --attach; echo $?; kill $bus
            """#, prints: "69\n")
        #expect(outcome.errors.contains(" belongs to user 1\n"), "\(outcome)")
    }

    @Test(
        "other processes of the user can't read the service's memory", .tags(.root),
        .enabled(if: isRoot, "root owns such files"))
    func memory() throws {
        try expect(
            #"""
            skr-secrets --namespace $SKR_NAMESPACE -- bash -c 'skr-secrets --status >/dev/null # answered once it runs
                service=$(pgrep -f "^skr-secrets --namespace $SKR_NAMESPACE")
                grep "Max core" /proc/$service/limits' | awk '{print $5, $6}'
            """#, prints: "0 0\n")
    }

    @Test("it works without /proc", .tags(.root), .enabled(if: isRoot, "needs root to hide it"))
    func withoutProc() throws {
        try expect(
            #"""
            unshare --mount bash -c 'mount -t tmpfs none /proc; skr-secrets --status; skr-secrets -- sh -c "exit 3"; echo $?'
            """#, prints: "no Secret Service answers here\n3\n")
    }

    @Test("mistakes are explained")
    func mistakes() throws {
        let cases = [
            ("--scope nowhere -- true", 64, "no such scope", "use session, user or persistent"),
            ("--attach --scope session", 64, "--attach uses the scope user", "leave --scope out"),
            ("--timeout-for a=b -- true", 64, "--timeout-for: not a rule: 'a=b'", "ATTRIBUTE=VALUE=DURATION"),
            ("--timeout-for a=b=c -- true", 64, "--timeout-for: 'c' is not a duration", "write it as"),
            ("--timeout-for a=b=0s -- true", 64, "--timeout-for: '0s' is not a duration", "write it as"),
            ("--timeout 0s -- true", 64, "--timeout: '0s' is not a duration", "write it as"),
            ("--status -- true", 64, "--status can't be combined with a command", "skr-secrets --help"),
            ("--namespace '' -- true", 64, "name", "name"),
            ("--attach -- true", 64, "--attach can't be combined with a command", "skr-secrets --help"),
            ("--", 64, "a command is missing after --", "leave out the '--'"),
            ("-- no-such-command", 127, "no such command: 'no-such-command'", "PATH"),
            ("-- /etc/passwd", 126, "can't run '/etc/passwd'", "chmod +x"),
            ("--attach", 64, "no session bus is known here", "skr-secrets -- CMD"),
            ("true", 64, "unexpected word 'true'", "write the command after '--'"),
        ]
        let script = cases.map { "skr-secrets \($0.0); echo '## '$? >&2\n" }.joined()
        let outcomes = try run(script).errors.split(separator: "## ", omittingEmptySubsequences: false)
        #expect(outcomes.count == cases.count + 1, "\(outcomes)")
        // Each part but the first begins with the exit code of the case before.
        for ((words, code, message, hint), (errors, next)) in zip(cases, zip(outcomes, outcomes.dropFirst())) {
            let outcome = "\(words): \(errors)"
            #expect(next.hasPrefix("\(code)\n"), "\(outcome)")
            let lines = errors.split(separator: "\n").filter { Int($0) == nil }
            #expect(lines.first?.hasPrefix("skr-secrets: error: ") == true, "\(outcome)")
            #expect(lines.first?.contains(message) == true && lines.last?.contains(hint) == true, "\(outcome)")
        }
        let status = try run("skr-secrets --status")
        #expect(status == .init(exitCode: 1, output: "no Secret Service answers here\n", errors: ""))
    }

    @Test("an error of the form for a shell prints a command that fails")
    func evaluated() throws {
        try expect(
            #"""
            skr-secrets --bogus 2>/dev/null; eval "$(skr-secrets word 2>/dev/null)" || echo failed; skr-secrets -- no-such-command 2>/dev/null
            """#, prints: "false\nfailed\n")
    }

    @Test("in a revoked session, nothing is started")
    func revoked() throws {
        let outcome = try run("keyctl revoke @s; skr-secrets -- echo started")
        #expect(outcome.exitCode == 69 && outcome.output == "", "\(outcome)")
        #expect(
            outcome.errors.contains("revoked") && outcome.errors.contains("exec skr session --secrets"), "\(outcome)")
    }

    @Test("closed standard descriptors, and folders with special characters in their names")
    func surroundings() throws {
        try expect(
            #"""
            for closed in '<&-' '2>&-' '<&- 2>&-'; do
                eval "skr-secrets -- bash -c 'sleep 0.2; skr-secrets --status | grep bus:' $closed"
            done
            work=$(mktemp -d); for name in 'a b' 'a,b' "it's" 'é;%'; do
                mkdir "$work/$name"; (cd "$work/$name"; XDG_RUNTIME_DIR=$PWD skr-secrets -- sh -c "rmdir '$work/nothing' 2>/dev/null; skr-secrets --status" | grep bus:
                    XDG_RUNTIME_DIR=$PWD setsid --wait bash -c 'eval "$(skr-secrets)"; skr-secrets --status | grep bus:')
            done; for i in {1..100}; do rmdir "$work"/* 2>/dev/null && break; sleep 0.05; done; rmdir "$work" && echo removed
            """#, prints: String(repeating: "bus: private\n", count: 11) + "removed\n")
    }

    /// If a call never gave up, the runner would kill the script after 60 s, and the test would fail.
    @Test("a bus that does not answer is reported, and not replaced")
    func silentBus() throws {
        let outcome = try expect(
            #"""
            skr-secrets -- bash -c 'service=$(pgrep -f "^skr-secrets -- bash -c service"); kill -STOP $service
                setsid --wait bash -c "eval \"\$(skr-secrets)\"; true" & skr-secrets --status; wait $!; kill -CONT $service' | sed s/at.*/at/
            """#, prints: "no Secret Service answers at\n")
        #expect(outcome.errors.contains("does not answer"), "\(outcome)")
    }
}
