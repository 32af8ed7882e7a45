import Foundation
import TestSupport
import Testing

/// Tests of what `skr` knows about `skr-secrets`.
@Suite("skr and the Secret Service")
struct SecretServiceOfSessionTests {
    @Test("skr session --secrets gives a command a new session with a Secret Service")
    func session() throws {
        try CommandRunner().inSession(
            #"""
            unset DBUS_SESSION_BUS_ADDRESS; export XDG_RUNTIME_DIR=; printf s | skr set a
            skr session --secrets -- bash -c 'skr-secrets --status | grep login; [ "$SKR_SESSION" = $(keyctl id @s) ] && echo session; printf "%s" "$1" | od -An -c' x $'\xff'
            skr session --name "n-$SKR_NAMESPACE" --secrets -- bash -c 'printf s | skr set b; skr-secrets --status | grep login'
            """#, prints: "collection: login (items: 0)\nsession\n 377\ncollection: login (items: 1)\n")
        try CommandRunner().inSession(
            #"skr-secrets -- sh -c 'skr session -- printenv DBUS_SESSION_BUS_ADDRESS || DBUS_SESSION_BUS_ADDRESS=unix:path=/x skr session -- printenv DBUS_SESSION_BUS_ADDRESS'"#,
            prints: "unix:path=/x\n")
        for option in ["--join n", "--end n", "--current"] {
            let refused = try CommandRunner().inSession("skr session \(option) --secrets")
            #expect(refused.exitCode == 64 && refused.errors.contains("can't be combined with --secrets"), "\(refused)")
        }
    }

    @Test("without the program skr-secrets, the session is not started")
    func missing() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            work=$(mktemp -d); trap 'rm -rf $work' EXIT; cp $(command -v skr) $work
            PATH=/usr/bin:/bin $work/skr session --secrets -- echo started; echo $?
            PATH=/usr/bin:/bin $work/skr doctor | grep secret-service
            mkdir $work/shared; mv $work/skr $work/shared; chmod 1777 $work/shared; printf '#!/bin/sh\necho trap' > $work/shared/skr-secrets
            chmod 755 $work/shared/skr-secrets; PATH=/usr/bin:/bin $work/shared/skr session --secrets -- echo started; echo $?
            chmod 775 $work/shared; PATH=/usr/bin:/bin $work/shared/skr session --secrets -- echo started
            """#,
            prints: "127\nok       secret-service  unknown: the program skr-secrets is not installed\n127\ntrap\n")
        #expect(outcome.errors.contains("install the program skr-secrets"), "\(outcome)")
    }

    @Test("doctor knows whether our Secret Service answers, and who finds it")
    func doctorKnows() throws {
        let environment = ["XDG_RUNTIME_DIR": "", "DBUS_SESSION_BUS_ADDRESS": ""]
        let none = try doctor("keyctl session - skr doctor --json", environment: environment)
        #expect(none.verdict("secret-service") == "ok")
        #expect(none.facts("secret-service")["isOurs"] as? Bool == false)
        #expect(none.text("secret-service").hasPrefix("no Secret Service answers here; "))
        let ours = try doctor("keyctl session - skr-secrets -- skr doctor --json", environment: environment)
        #expect(ours.facts("secret-service")["isOurs"] as? Bool == true)
        #expect(ours.facts("secret-service")["scope"] as? String == "session")
        #expect((ours.facts("secret-service")["address"] as? String)?.hasPrefix("unix:path=/tmp/skr-secrets-") == true)
        #expect(ours.text("secret-service").contains("your other logins can reach it too"))
        let unnamed = try doctor(
            #"""
            keyctl session - skr-secrets -- bash -c 'export XDG_RUNTIME_DIR=$(dirname ${DBUS_SESSION_BUS_ADDRESS#unix:path=})
                unset DBUS_SESSION_BUS_ADDRESS; exec skr doctor --json'
            """#, environment: environment)
        #expect(unnamed.text("secret-service").contains("gh and Python's keyring need DBUS_SESSION_BUS_ADDRESS"))
    }

    @Test("in a session with a name, doctor shows how to start a Secret Service in it")
    func namedSession() throws {
        try CommandRunner().inSession(
            #"""
            unset DBUS_SESSION_BUS_ADDRESS; export XDG_RUNTIME_DIR= name="n-$SKR_NAMESPACE"
            skr session --name $name -- bash -c 'printf s | skr set a
                hint=$(skr doctor --json | grep -o "skr session --name [^ ]* --secrets"); echo "${hint/$name/NAME}"
                $hint -- bash -c "skr-secrets --status | grep login; skr doctor --json | grep -c session.--name"'
            """#, prints: "skr session --name NAME --secrets\ncollection: login (items: 1)\n0\n")
    }

    @Test("a secret with attributes is listed, read and deleted by its name")
    func named() throws {
        try CommandRunner().inSession(
            #"""
            ring=$(keyctl newring skr:$SKR_NAMESPACE @s)
            keyctl add user secret:account:alice:server:a%3Ab s $ring >/dev/null; keyctl add user label:secret x $ring >/dev/null
            skr list; skr get account:alice:server:a%3Ab; echo; skr get account:alice 2>/dev/null; echo $?
            skr delete account:alice:server:a%3Ab; skr list; skr clear; keyctl rlist $ring
            """#, prints: "secret\taccount:alice:server:a%3Ab\t\t1\t-\ns\n1\n\n")
    }
}
