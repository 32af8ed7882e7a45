import Foundation
import TestSupport
import Testing

@Suite("skr, verb by verb")
struct VerbTests {
    @Test("set and get return the exact bytes without one final newline, which --raw keeps")
    func setAndGet() throws {
        try CommandRunner().inSession(
            #"""
            printf "tok3n\n" | skr set api && skr get api && printf "|"
            printf "two\n\n" | skr set api && skr get api && printf "|"
            printf "raw\n" | skr set --raw api && skr get api && printf "|"
            printf "" | skr set api --allow-empty && skr get api && printf "|"
            printf "\n" | skr set --raw api && skr get api && printf "|"
            printf "\0\1\n" | skr set api me && skr get api me | od -An -tx1
            """#, prints: "tok3n|two\n|raw\n||\n|" + " 00 01\n", errors: "")
    }

    @Test("an empty pipe is an error, and the old secret stays, unless --allow-empty is given")
    func emptyPipe() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            printf old | skr set tok --timeout 90m; (exit 1) | skr set tok; echo $?; echo "$UNSET" | skr set tok; echo $?
            printf "" | skr set --raw tok --timeout 5m; echo $?; skr set fresh --new </dev/null; echo $?; skr get tok; echo
            skr set tok s3cret </dev/null; echo $?; skr list
            printf "\n" | skr set tok --allow-empty; echo $?; skr get tok | wc -c; skr set --allow-empty new </dev/null; skr list
            """#,
            prints: "64\n64\n64\n64\nold\n64\npassword\ttok\t\t3\t1h\n0\n0\n"
                + "password\tnew\t\t0\t-\npassword\ttok\t\t0\t-\n")
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count == 11 && !outcome.errors.contains("s3cret"))
        #expect(lines.count { $0 == "skr: error: no secret on standard input; nothing was stored" } == 5)
        #expect(
            lines.count { $0.hasPrefix("skr: hint: check the program that should print it; to store an empty") } == 4
        )
        #expect(lines.last == "skr: tok: the old timeout of 1h is gone; add --timeout 2h")
        #expect(lines.count { $0.hasPrefix("skr: hint: don't pass a secret as an argument, pipe it in: ") } == 1)
    }

    @Test("one process reads the item that another stored, until its timeout")
    func expiry() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            export SKR_NAMESPACE=; printf secret | skr set api --timeout 3s; bash -c "skr get api"; echo " $?"
            for ((i = 0; i < 155; i++)); do skr get api >/dev/null 2>&1 || break; sleep 0.02; done
            skr get api; echo "$?"; skr list
            """#, prints: "secret 0\n1\n")
        #expect(outcome.errors.hasPrefix("skr: error: api: no such item, or it has expired\nskr: hint: "))
    }

    @Test("expire, delete and clear work, and a missing item is exit code 1")
    func otherVerbs() throws {
        try CommandRunner().inSession(
            #"""
            for name in a b c; do printf $name | skr set $name; done
            skr expire a --timeout 1h30m; echo $?; skr delete b; echo $?; skr delete b 2>/dev/null; echo $?
            skr expire b --timeout 5m 2>/dev/null; echo $?; skr list; skr clear; echo $?; skr list; skr clear; echo $?
            """#, prints: "0\n0\n1\n1\npassword\ta\t\t1\t1h\npassword\tc\t\t1\t-\n0\n0\n")
    }

    @Test("without an account, a verb uses the item without one, otherwise the only one, or fails")
    func accounts() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            printf 1 | skr set db alice; skr get db; printf 2 | skr set db bob; skr get db; echo " $?"
            printf 0 | skr set db; skr get db; skr delete db; skr delete db; echo " $?"; skr clear db; skr list
            """#, prints: "1 65\n0 65\n")
        #expect(
            outcome.errors.contains("skr: error: db: several accounts: alice, bob\nskr: hint: name the account too"))
    }

    @Test("--field reads from JSON, and errors show the path but never the secret")
    func field() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            printf "{\"a\":{\"b\":[1,\"two\",{\"c\":1.5,\"d\":null}]},\"t\":true,\"n\":9007199254740993}" | skr set json
            for path in a.b.0 a.b.1 a.b.2 t n a.b.2.d; do skr get json --field $path; echo " $?"; done
            skr get json --field a.x; echo $?; printf s3cret | skr set plain; skr get plain --field a; echo $?
            """#, prints: "1 0\ntwo 0\n{\"c\":1.5,\"d\":null} 0\ntrue 0\n9007199254740993 0\nnull 0\n65\n65\n")
        #expect(outcome.errors.contains("skr: error: json: the secret has no field 'a.x'"))
        #expect(outcome.errors.contains("skr: error: plain: the secret is not JSON"))
        #expect(!outcome.errors.contains("s3cret"))
    }

    @Test("list --json has the documented fields")
    func listJSON() throws {
        let outcome = try CommandRunner().inSession(
            #"printf 12345 | skr set api al --timeout 100; printf 1 | skr set other; skr list --json; skr list api"#)
        let split = try #require(outcome.output.range(of: "]\n"))
        let json = try JSONSerialization.jsonObject(with: Data(outcome.output[..<split.upperBound].utf8))
        let items = try #require(json as? [[String: Any]])
        let names: Set = [
            "kind", "service", "account", "size", "timeLeft", "timeLeftPrecision", "serial", "uid", "gid",
            "permissions",
        ]
        #expect(items.map { Set($0.keys) } == [names, names])
        #expect(items[0]["service"] as? String == "api")
        #expect(items[0]["size"] as? Int == 5)
        #expect(items[0]["timeLeft"] as? Int == 60)
        #expect(items[0]["timeLeftPrecision"] as? Int == 60)
        #expect(items[1]["timeLeft"] is NSNull)
        #expect(outcome.output[split.upperBound...] == "password\tapi\tal\t5\t1m\n")
    }

    @Test("scopes and namespaces separate items, by option and by environment")
    func places() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            printf 1 | skr set a --namespace one; printf 2 | SKR_NAMESPACE=two skr set a
            skr get a --namespace one; SKR_NAMESPACE=one skr get a --namespace two; skr get a 2>/dev/null; echo " $?"
            SKR_SCOPE=nowhere skr get a; echo $?; skr get a --scope nowhere; echo $?
            SKR_SCOPE=nowhere skr list --scope session --namespace one | cut -f 2
            """#, prints: "12 1\n64\n64\na\n")
        #expect(outcome.errors.contains("skr: error: SKR_SCOPE: no such scope: 'nowhere'\n"))
    }

    @Test("sessions share the user scope, but not the session scope")
    func scopes() throws {
        let outcome = try CommandRunner().inUserScope(
            #"""
            keyctl session - bash -c "printf u | skr set a --scope user; printf s | skr set a" 2>/dev/null
            keyctl session - bash -c "skr get a --scope user; skr get a; echo \" \$?\"; skr clear --scope user" 2>/dev/null
            """#)
        #expect(outcome.output == "u 1\n")
    }

    @Test("bad input is a clear error with a hint and exit code 64, and nothing is stored")
    func badInput() throws {
        try CommandRunner().inSession(
            #"""
            try() { "$@" </dev/null 2>/tmp/skr-test-$$; echo $?; grep -q "^skr: error: [a-z0-9-]" /tmp/skr-test-$$ && grep -q "^skr: hint: " /tmp/skr-test-$$ || cat /tmp/skr-test-$$; rm /tmp/skr-test-$$; }
            try skr get ""; try skr get $(head -c 5000 /dev/zero | tr "\0" x); try skr get $(printf "\377"); try skr get
            try skr get a b c; try skr set a --timeout 0; try skr set a --timeout 1x; try skr set a --timeout 99999999999999999999
            try skr expire a; try skr nothing; try skr get --nothing a; try skr set a --timeout; skr list
            """#, prints: String(repeating: "64\n", count: 12))
    }

    @Test(
        "32,767 bytes fit, and one byte more is refused and leaves the old secret",
        .tags(.root), .enabled(if: isRoot, "needs root, because it stores more than a user's 20,000 bytes"))
    func sizes() throws {
        try CommandRunner().inSession(
            #"""
            head -c 32767 /dev/urandom > /tmp/skr-test-$$; skr set --raw big < /tmp/skr-test-$$; skr get big | cmp - /tmp/skr-test-$$ && echo same
            head -c 32768 /dev/zero | tr "\0" x | skr set --raw big; echo $?; skr get big | cmp - /tmp/skr-test-$$ && echo same
            head -c 32768 /dev/zero | tr "\0" "\n" | skr set big; skr get big | wc -c; yes | skr set big; echo $?; rm /tmp/skr-test-$$
            """#, prints: "same\n70\nsame\n32767\n70\n")
    }

    @Test("a name in an error can't forge a line")
    func hostileAccounts() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            account=$(printf "x\nskr: error: forged\033[31m"); printf 1 | skr set db "$account"; printf 2 | skr set db plain
            skr get db; echo $?; SKR_NAMESPACE=$(printf "\377") skr get db; echo $?
            """#, prints: "65\n64\n")
        #expect(outcome.errors.split(separator: "\n").count == 4)
        #expect(outcome.errors.contains("several accounts: plain, x%0Askr: error: forged%1B[31m\n"))
        #expect(outcome.errors.contains("skr: error: SKR_NAMESPACE is not valid UTF-8\n"))
    }

    @Test("hostile names are returned unchanged, and never break a line of the list")
    func hostileNames() throws {
        try CommandRunner().inSession(
            #"""
            for name in "a:b" "a;b" "a%b" " a" "." "-" $(printf "new\nline"); do printf "%s" "$name" | skr set -- "$name"; skr get -- "$name"; echo; done
            name=$(printf "x\ty\nz"); printf 1 | skr set "$name"; skr get "$name"; echo; skr list "$name"
            """#, prints: "a:b\na;b\na%b\n a\n.\n-\nnew\nline\n1\npassword\tx%09y%0Az\t\t1\t-\n")
    }

    @Test(
        "if the reader goes away, the command ends quietly",
        .tags(.root), .enabled(if: isRoot, "needs root, because it stores more than a user's 20,000 bytes"))
    func brokenPipe() throws {
        try CommandRunner().inSession(
            #"head -c 30000 /dev/zero | tr "\0" x | skr set big; skr get big | head -c 1; skr list | true"#,
            prints: "x", errors: "")
    }

    @Test("an unusable keyring is an error with exit code 69")
    func noKeyring() throws {
        let outcome = try CommandRunner().inSession(
            #"keyctl revoke @s; skr get a; echo $?; printf 1 | skr set a; echo $?"#, prints: "69\n69\n")
        #expect(outcome.errors.contains("skr: error: this login session has ended and its keyring was revoked"))
        #expect(outcome.errors.contains("skr: hint: log in again"))
    }

    @Test("help and version are printed to standard output, with exit code 0")
    func help() throws {
        for words in [["--help"], ["help"], ["help", "set"], ["get", "--help"], ["--version"]] {
            let outcome = try CommandRunner().run(words, input: Data())
            #expect(outcome.exitCode == 0 && outcome.errors.isEmpty && !outcome.output.isEmpty)
        }
    }

    @Test("an unreadable key is listed as such, by its serial, and disables nothing")
    func unreadableKey() throws {
        try CommandRunner().inSession(
            #"""
            echo 1 | skr set a; ring=$(keyctl search @s keyring skr:$SKR_NAMESPACE)
            key=$(keyctl add user password:odd: x $ring); keyctl setperm $key 0x20000000
            skr list | sed "s/$key/KEY/"; skr list --json | tr -d ' \n' | grep -o '"kind":"unreadable"'; skr get a; skr cached c --timeout 9s -- echo c
            for name in '*' 'a*' a; do skr list "$name" | cut -f 1 | tr '\n' ' '; done
            """#,
            prints: "password\ta\t\t1\t-\nunreadable\tKEY\t\t?\t?\n\"kind\":\"unreadable\"\n1c\n"
                + "cached password unreadable password password ", errors: "")
    }
}
