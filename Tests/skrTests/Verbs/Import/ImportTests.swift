import CTestFilters
import Foundation
import Testing

// Serialized, because the tests share the user's persistent keyring.
@Suite("skr import", .serialized)
struct ImportTests {
    /// Runs a script in a new session.
    ///
    /// In it, `run` shows answer, messages and exit code.
    private func run(_ script: String) throws -> CommandRunner.Outcome {
        try CommandRunner().inSession(
            #"""
            export HOME=$(mktemp -d); cd $HOME; trap 'rm -rf $HOME' EXIT
            run() { skr import --from "$@" 2>&1; echo $?; }; key() { keyctl add user "$1" "$2" "${3:-@s}" > /dev/null; }

            """# + script)
    }

    @Test("keyring-rs: both versions are listed without secrets, and imported only with --yes")
    func keyringRS() throws {
        let outcome = try run(
            #"""
            key keyring-rs:al@db.example s3cret; key 'keyring:a@b.example@mail' s3cret2; key keyring-rs:nothing s3cret
            key keyring-rs:al@ s3cret; key other:al@db s3cret; key keyring-rs:$'\377'@x s3cret; key 'keyring:al@db.example' second
            run keyring-rs; skr list; run keyring-rs --yes --timeout 1h; skr get db.example al; echo; skr get mail a@b.example; echo
            skr list --expiring 2h | wc -l; keyctl search @s user keyring-rs:al@db.example > /dev/null && echo still there
            """#)
        #expect(
            outcome.output == """
                password\tdb.example\tal\t6\tnew
                password\tmail\ta@b.example\t7\tnew
                skr: skipped: db.example al: another secret becomes the same item
                skr: skipped: keyring-rs:al@: its name has no service
                skr: skipped: keyring-rs:nothing: its name has no @
                skr: skipped: keyring-rs:\u{FFFD}@x: its name is not UTF-8
                skr: 2 new, 4 skipped; to import them, add --yes
                0
                password\tdb.example\tal\t6\timported
                password\tmail\ta@b.example\t7\timported
                skr: skipped: db.example al: another secret becomes the same item
                skr: skipped: keyring-rs:al@: its name has no service
                skr: skipped: keyring-rs:nothing: its name has no @
                skr: skipped: keyring-rs:\u{FFFD}@x: its name is not UTF-8
                skr: 2 imported, 4 skipped
                0
                s3cret
                s3cret2
                2
                still there

                """)
        #expect(outcome.errors == "")
    }

    @Test("keyring-rs: a key in both the persistent and the session keyring is imported once")
    func persistent() throws {
        let outcome = try run(
            #"""
            ring=$(keyctl get_persistent @s); kept=$(keyctl add user keyring-rs:al@kept-$$ s3cret $ring)
            both=$(keyctl add user keyring-rs:al@both-$$ s3cret $ring); keyctl link $both @s
            keyctl unlink $(keyctl search @s keyring _persistent.$UID) @s
            run keyring-rs --yes | sed "s/$$/N/"; skr get kept-$$; echo
            ring=$(keyctl get_persistent @s); keyctl unlink $kept $ring; keyctl unlink $both $ring
            """#)
        #expect(
            Set(outcome.output.split(separator: "\n").prefix(2)) == [
                "password\tboth-N\tal\t6\timported", "password\tkept-N\tal\t6\timported",
            ], "\(outcome)")
        #expect(outcome.output.contains("\nskr: 2 imported\n0\ns3cret\n"), "\(outcome)")
    }

    @Test("an existing item is kept, unless --replace is given")
    func present() throws {
        let outcome = try run(
            #"""
            key keyring-rs:al@db new; printf old | skr set db al; run keyring-rs; run keyring-rs --yes; skr get db al; echo
            run keyring-rs --yes --replace; skr get db al
            """#)
        #expect(
            outcome.output == """
                password\tdb\tal\t3\tthere already
                skr: 1 there already; to import them, add --yes
                0
                password\tdb\tal\t3\tkept
                skr: 1 kept unchanged
                0
                old
                password\tdb\tal\t3\treplaced
                skr: 1 replaced
                0
                new
                """)
    }

    @Test("a replaced item gets the timeout, and without write permission import exits with 77")
    func replaced() throws {
        let outcome = try run(
            #"""
            printf 'A=1\nB=2\n' > .env; printf 1 | skr set A; run dotenv .env --yes --replace --timeout 60h; skr list | cut -f 2,5
            skr delete B; keyctl setperm $(keyctl search @s keyring skr:$SKR_NAMESPACE) 0x1b1b0000
            for replace in '' --replace; do skr import --from dotenv .env --yes $replace 2>/dev/null; echo $?; done
            """#)
        #expect(
            outcome.output == """
                password\tA\t\t1\treplaced
                password\tB\t\t1\timported
                skr: 1 imported, 1 replaced
                0
                A\t2d
                B\t2d
                password\tA\t\t1\tkept
                77
                77

                """, "\(outcome)")
    }

    @Test("without the key facility, import exits with 69", arguments: [EPERM, ENOSYS])
    func blocked(error: CInt) async throws {
        await #expect(processExitsWith: .exitCode(69)) { [error = error as CInt] in
            guard test_filter_install(-1, error) == 0 else { exit(3) }
            let words: [UnsafeMutablePointer<CChar>?] =
                ["skr", "import", "--from", "python-keyring-keyutils"].map { (word: String) in strdup(word) } + [nil]
            execv(TestedPrograms.skr.path, words)
            exit(4)
        }
    }

    @Test("keyring-rs: import creates no persistent keyring", .enabled(if: geteuid() == 0, "becomes another user"))
    func makesNothing() throws {
        // A random user ID, which has no persistent keyring yet.
        let user = Int.random(in: 1_000_000...2_000_000_000)
        let outcome = try CommandRunner().inSession(
            #"""
            copy=$(mktemp -d); chmod 755 $copy; trap 'rm -rf $copy' EXIT; cp $(command -v skr) $copy/skr
            setpriv --reuid $OTHER --regid $OTHER --clear-groups keyctl session - bash -c "
                $copy/skr import --from keyring-rs; echo \$?; grep -c _persistent.$OTHER: /proc/keys" 2>/dev/null
            """#, environment: ["OTHER": "\(user)"])
        #expect(outcome.output == "1\n0\n", "\(outcome)")
    }

    @Test(
        "a source without anything to import is an error, and no keyring is created",
        arguments: [
            "keyring-rs", "99designs --service none", "python-keyring-keyutils",
            "systemd-ask-password --service skr-no-such", "pass",
            "dotenv /dev/null",
        ])
    func nothing(words: String) throws {
        let outcome = try run("run \(words); keyctl rlist @s")
        let source = words.split(separator: " ")[0]
        #expect(
            outcome.output.hasPrefix(
                "skr: error: \(source) has nothing to import\nskr: hint: 'skr help import' shows where skr looks\n1\n"
            ), "\(outcome)")
    }

    @Test("99designs: the keyring's name is the service, and the payload is the secret")
    func goKeyring() throws {
        let outcome = try run(
            #"""
            ring=$(keyctl newring aws-vault @s); key prod '{"AccessKeyID":"x"}' $ring; key $'\377' x $ring; keyctl newring inner $ring > /dev/null
            run 99designs --service aws-vault --yes; skr get aws-vault prod
            """#)
        #expect(
            outcome.output
                == "password\taws-vault\tprod\t19\timported\nskr: skipped: \u{FFFD}: its name is not UTF-8\n"
                + "skr: 1 imported, 1 skipped\n0\n{\"AccessKeyID\":\"x\"}"
        )
    }

    @Test("python-keyring-keyutils: the account is after the last colon")
    func pythonKeyring() throws {
        let outcome = try run(
            #"""
            ring=$(keyctl newring python-keyring-keyutils @s); key https://x.example/:bob s3cret $ring; key nothing x $ring
            key $'\377:bob' x $ring
            run python-keyring-keyutils --yes; skr get https://x.example/ bob
            """#)
        #expect(
            outcome.output
                == "password\thttps://x.example/\tbob\t6\timported\nskr: skipped: nothing: its name has no colon\n"
                + "skr: skipped: \u{FFFD}:bob: its name is not UTF-8\nskr: 1 imported, 2 skipped\n0\ns3cret")
    }

    @Test("systemd-ask-password: the first of several passwords of the given key is imported")
    func askPassword() throws {
        let outcome = try run(
            #"""
            name=skr-test-$$; keyctl link @u @s; printf 'one\0two\0' | keyctl padd user $name @u > /dev/null; keyctl add user $name-other x @u > /dev/null; keyctl add user $name-$'\377' x @u > /dev/null
            keyctl unlink @u @s; run systemd-ask-password --service $name --yes | sed "s/$$/N/"; skr get $name; echo
            for text in "$name" "skipped: $name-"; do run systemd-ask-password | grep -c "$text"; done
            keyctl link @u @s; for key in $name $name-other $name-$'\377'; do keyctl unlink $(keyctl search @u user $key) @u; done
            """#)
        #expect(
            outcome.output.hasPrefix("password\tskr-test-N\t\t3\timported\nskr: 1 imported\n0\none\n3\n1\n"),
            "\(outcome)")
    }

    @Test("dotenv: each name is a service or account; references and empty values are skipped")
    func dotenv() throws {
        let outcome = try run(
            #"""
            printf 'A=1\nexport B="x y"\nC=\nD=skr://db\nA=s3cret\n' > .env; run dotenv .env; run dotenv .env --service app --yes; skr get app A; echo
            run dotenv .env --yes | tail -n 2; skr get B; echo; printf 'A s3cret\n' > bad; run dotenv bad; run dotenv none | head -n 1
            """#)
        #expect(
            outcome.output == """
                password\tB\t\t3\tnew
                password\tA\t\t6\tnew
                skr: skipped: C: its value is empty
                skr: skipped: D: it is a reference
                skr: 2 new, 2 skipped; to import them, add --yes
                0
                password\tapp\tB\t3\timported
                password\tapp\tA\t6\timported
                skr: skipped: C: its value is empty
                skr: skipped: D: it is a reference
                skr: 2 imported, 2 skipped
                0
                s3cret
                skr: 2 imported, 2 skipped
                0
                x y
                skr: error: bad:1: the line is not NAME=value
                skr: hint: write a name of letters, digits and '_', without a blank before the '='; a comment begins with '#'
                65
                skr: error: can't read 'none': no such file or directory

                """)
    }

    @Test("pass: each folder is read once, even if links lead to it, into it and around it")
    func passLinks() throws {
        let outcome = try run(
            #"""
            mkdir -p .password-store/web other; touch .password-store/{db,web/mail}.gpg other/far.gpg; cd .password-store
            for name in a b c d e; do ln -s . $name; done; ln -s .. web/up; ln -s $HOME/other; ln -s web/mail.gpg mail.gpg; ln -s nowhere gone.gpg
            skr() { timeout 20 "$(type -P skr)" "$@"; }; run pass | cut -f 2; mv $HOME/.password-store $HOME/s; ln -s s $HOME/.password-store; cd; run pass | tail -n 2
            PASSWORD_STORE_DIR=$HOME/other run pass | cut -f 2
            """#)
        let end = "skr: 4 new; to import them, add --yes\n0\n"
        let other = "far\nskr: 1 new; to import them, add --yes\n0\n"
        #expect(
            outcome
                == .init(
                    exitCode: 0, output: "db\nmail\nother/far\nweb/mail\n\(end)\(end)\(other)", errors: ""))
    }

    @Test("pass: nested entries are found down to a limited depth")
    func passDepth() throws {
        let outcome = try run(
            #"""
            near=$(printf 'd/%.0s' {1..20}); far=$(printf 'd/%.0s' {1..60}); mkdir -p .password-store/$far
            touch .password-store/${near}db.gpg .password-store/${far}db.gpg; run pass | cut -f 2
            """#)
        let name = String(repeating: "d/", count: 20) + "db"
        let end = "skr: 1 new; to import them, add --yes\n0\n"
        #expect(outcome == .init(exitCode: 0, output: "\(name)\n\(end)", errors: ""))
    }

    @Test("pass: results before an error are shown, and if they can't be written, the exit code is 70")
    func passGone() throws {
        let outcome = try run(
            #"""
            mkdir .password-store; touch .password-store/{a,b}.gpg; printf x | skr set a
            PATH=${PATH%%:*} skr import --from pass --yes; echo $?
            PATH=${PATH%%:*} skr import --from pass --yes > /dev/full; echo $?
            """#)
        #expect(outcome.output == "password\ta\t\t?\tkept\n127\n70\n", "\(outcome)")
        #expect(outcome.errors.hasPrefix("skr: error: the program 'pass' is not in PATH\n"), "\(outcome)")
        #expect(outcome.errors.hasSuffix("No space left on device\n"), "\(outcome)")
    }

    @Test("pass: an empty first line is not imported as a secret, and a line needs no newline")
    func passLines() throws {
        let outcome = try run(
            #"""
            mkdir -p .password-store bin; touch .password-store/{empty,one}.gpg; PATH=$HOME/bin:$PATH
            printf '#!/bin/sh\n[ $3 = one ] && printf s3cret || printf "\\nuser: x\\n"\n' > bin/pass; chmod +x bin/pass
            run pass --yes; skr get one
            """#)
        #expect(
            outcome.output == """
                password\tempty\t\t?\tgone
                password\tone\t\t6\timported
                skr: 1 imported, 1 could not be read
                0
                s3cret
                """, "\(outcome)")
    }

    @Test("pass: names are listed without decrypting; entries that fail to decrypt are not imported")
    func pass() throws {
        let outcome = try run(
            #"""
            mkdir -p .password-store/web/.git bin; touch .password-store/{web/mail,db,-odd,broken}.gpg .password-store/web/.git/x.gpg .password-store/note.txt
            printf '#!/bin/bash\necho "$@" >> %s/calls\n[[ $3 != broken ]] && printf "s3cret-$3\\nuser: x\\n"\n' $HOME > bin/pass; chmod +x bin/pass; PATH=$HOME/bin:$PATH
            run pass; ls calls 2>&1 | grep -c 'No such'; run pass --yes; skr get web/mail; echo; cat calls; PATH=${PATH#*:}; type pass > /dev/null 2>&1 || run pass --yes --replace | tail -n 3
            """#)
        #expect(
            outcome.output.hasPrefix(
                """
                password\t-odd\t\t?\tnew
                password\tbroken\t\t?\tnew
                password\tdb\t\t?\tnew
                password\tweb/mail\t\t?\tnew
                skr: 4 new; to import them, add --yes
                0
                1
                password\t-odd\t\t11\timported
                password\tbroken\t\t?\tgone
                password\tdb\t\t9\timported
                password\tweb/mail\t\t15\timported
                skr: 3 imported, 1 could not be read
                0
                s3cret-web/mail
                show -- -odd
                show -- broken
                show -- db
                show -- web/mail

                """), "\(outcome)")
    }

    @Test("pass: it has the caller's signal mask, and an endless output does not block the import")
    func passProcess() throws {
        let outcome = try run(
            #"""
            mkdir -p .password-store bin; touch .password-store/{endless,mask}.gpg; PATH=$HOME/bin:$PATH
            echo '#!/bin/sh' > bin/pass; echo '[ $3 = endless ] && exec yes' >> bin/pass; chmod +x bin/pass
            echo 'exec awk "/^SigBlk/ { print \$2 }" /proc/self/status' >> bin/pass
            skr() { timeout 20 env --block-signal=USR1 "$(type -P skr)" "$@"; }
            run pass --yes; echo $((0x$(skr get mask) & 0x7FFFFFFF))
            """#)
        #expect(
            outcome.output == """
                password\tendless\t\t?\tgone
                password\tmask\t\t16\timported
                skr: 1 imported, 1 could not be read
                0
                512

                """, "\(outcome)")
    }

    @Test("pass: names that aren't UTF-8 are counted and shown, even if nothing else exists")
    func passBytes() throws {
        let outcome = try run(
            #"""
            mkdir -p .password-store/web .password-store/$'\351t\351'; touch .password-store/web/$'\377'.gpg .password-store/{$'\376',$'.\376.gpg'}
            run pass; touch .password-store/db.gpg; run pass
            """#)
        let passedOver = """
            skr: skipped: web/\u{FFFD}.gpg: its name is not UTF-8
            skr: skipped: \u{FFFD}t\u{FFFD}: its name is not UTF-8

            """
        #expect(
            outcome.output == passedOver + """
                skr: error: pass has nothing to import; 2 skipped
                skr: hint: 'skr help import' shows where skr looks
                1
                password\tdb\t\t?\tnew
                \(passedOver)skr: 1 new, 2 skipped; to import them, add --yes
                0

                """, "\(outcome)")
    }

    @Test("pass: with --yes, sizes are shown, except for items that are kept")
    func passSizes() throws {
        let outcome = try run(
            #"""
            mkdir -p .password-store bin; touch .password-store/{a,b}.gpg; printf '#!/bin/sh\necho s3cret\n' > bin/pass; chmod +x bin/pass; PATH=$HOME/bin:$PATH
            printf x | skr set a; run pass --yes; run pass --yes --replace
            """#)
        #expect(
            outcome.output == """
                password\ta\t\t?\tkept
                password\tb\t\t6\timported
                skr: 1 imported, 1 kept unchanged
                0
                password\ta\t\t6\treplaced
                password\tb\t\t6\treplaced
                skr: 2 replaced
                0

                """, "\(outcome)")
    }

    @Test(
        "in another user's session, import is refused and does not report items as kept",
        .enabled(if: geteuid() == 0, "needs root to become another user"))
    func foreignSession() throws {
        let outcome = try run(
            #"""
            copy=$(mktemp -d); chmod 755 $copy; cp $(command -v skr) $copy; printf 'A=s3cret' > $copy/env
            setpriv --reuid 60499 --regid 60499 --clear-groups $copy/skr import --from dotenv $copy/env --yes 2>&1; echo $?; rm -r $copy
            """#)
        #expect(outcome.output.contains("the session belongs to user 0"), "\(outcome)")
        #expect(outcome.output.hasSuffix("\n77\n") && !outcome.output.contains("kept"), "\(outcome)")
        #expect(!outcome.output.contains("warning"), "\(outcome)")
    }

    @Test(
        "wrong usage is an error",
        arguments: [
            ("99designs", "--from 99designs needs --service"), ("dotenv", "--from dotenv needs a file"),
            ("pass .env", "--from pass takes no file"),
            ("pass --service x", "--from pass takes no --service"), ("gnome", "use keyring-rs, 99designs"),
            ("pass --timeout 0", "--timeout"),
        ])
    func usage(words: String, message: String) throws {
        let outcome = try run("run \(words)")
        #expect(outcome.output.contains(message) && outcome.output.hasSuffix("\n64\n"), "\(outcome)")
    }
}
