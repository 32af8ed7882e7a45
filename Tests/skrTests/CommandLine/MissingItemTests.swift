import Testing

@Suite("A missing item")
struct MissingItemTests {
    private static let sessionHint =
        "skr: hint: each login has its own session; logins share --scope user, or 'skr session --join': see 'man skr-login-environments'"

    @Test("a second hint says that each login has its own session")
    func otherSession() throws {
        let outcome = try CommandRunner().inSession(
            """
            for verb in get delete "expire -t 5m" "cached --forget"; do skr $verb api; done; skr exec -e A=skr://api -e B=skr://b -- true
            printf 1 | skr set other; skr get api; skr get api -n new
            """, environment: ["SKR_NAMESPACE": "", "SKR_SCOPE": ""])
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count == 20 && lines.last?.contains("'skr list'") == true, "\(outcome)")
        for (error, second) in zip(lines, lines.dropFirst(2)).prefix(16) where error.hasPrefix("skr: error: ") {
            #expect(second == Self.sessionHint, "\(error)")
        }
        let named = try CommandRunner().inSession("skr get api", environment: ["SKR_NAMESPACE": "work"])
        #expect(named.errors.hasSuffix("\(Self.sessionHint)\n"))
    }

    @Test(
        "there is one hint if another session can't be the reason",
        arguments: [
            "skr get api --scope user", "SKR_SCOPE=user skr get api", "printf 1 | skr set apu; skr get api",
            "printf 1 | skr set api al; skr get api bo", "printf 1 | skr set api -n wrok; skr get api -n work",
            "printf 1 | skr set other -n work; skr get api -n wrok", "skr cached api -t 5m -- true; skr get api",
        ])
    func otherReason(script: String) throws {
        let outcome = try CommandRunner().inSession(script, environment: ["SKR_NAMESPACE": "", "SKR_SCOPE": ""])
        #expect(outcome.exitCode == 1 && outcome.errors.split(separator: "\n").count == 2, "\(outcome)")
    }

    @Test("a helper's client gets one hint: the command that stores the item")
    func helper() throws {
        let outcome = try CommandRunner().inSession("skr helper npm api/key", environment: ["SKR_NAMESPACE": ""])
        #expect(outcome.errors.contains("skr: hint: ") && outcome.exitCode != 0, "\(outcome)")
    }

    @Test("for every verb, the error names the scope and namespace if they aren't the usual ones")
    func place() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            for verb in get delete "expire --timeout 5m"; do skr $verb api; skr $verb api al --namespace work; skr $verb api --namespace $'w\e'; done
            skr exec --env A=skr://api --namespace work -- true; skr exec --env A=skr://api --env B=skr://b --namespace work -- true
            """#, environment: ["SKR_NAMESPACE": ""])
        let three = """
            skr: error: api: no such item, or it has expired
            skr: error: api al: no such item, or it has expired (namespace work)
            skr: error: api: no such item, or it has expired (namespace w%1B)

            """
        let lines = outcome.errors.split(separator: "\n")
        let errors = lines.filter { $0.hasPrefix("skr: error") }.joined(separator: "\n")
        #expect(
            errors == three + three + three + """
                skr: error: api: no such item, or it has expired (namespace work)
                skr: error: no such items, or they have expired: api, b (namespace work)
                """)
        #expect(lines.count { $0 == "skr: hint: store it with 'skr set'; 'skr list' shows what is stored" } == 5)
        // delete and expire do not advise the user to store the item first.
        #expect(lines.count { $0 == "skr: hint: 'skr list' shows what is stored" } == 6)
    }

    @Test("the hint has the option for the first namespace with such an item, in natural order")
    func namespaces() throws {
        let outcome = try CommandRunner().inSession(
            #"""
            printf 1 | skr set api --namespace "two words"; printf 1 | skr set db al --namespace n91; printf 1 | skr set db bo --namespace n9
            skr get api; skr delete api; skr expire api --timeout 1m; skr exec --env A=skr://api -- true; skr get db; skr get db al; skr get db no
            skr exec --env A=skr://no --env B=skr://api -- true; skr get api --namespace "two words"
            skr cached kept --timeout 5m --namespace n9 -- true; skr get kept; skr cached --forget kept
            """#, environment: ["SKR_NAMESPACE": ""], prints: "1")
        let there = "it is in the namespace two words: add --namespace 'two words'"
        let kept =
            "'kept' is an output stored by 'skr cached' in the namespace n9: 'skr cached kept --namespace n9 ... -- CMD' prints it; 'skr cached --forget kept --namespace n9' deletes it"
        let hints = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("skr: hint: ") }.map {
            $0.dropFirst(11)
        }
        #expect(
            hints == [
                "\(there)", "\(there)", "\(there)", "\(there)",
                "it is in the namespace n9: add --namespace n9; 'skr list --all db' shows all places",
                "it is in the namespace n91: add --namespace n91",
                "store it with 'skr set'; 'skr list' shows what is stored", Self.sessionHint.dropFirst(11),
                "api: \(there)", "\(kept)", "it is in the namespace n9: add --namespace n9",
            ])
    }
}
