import TestSupport
import Testing

@Suite("Sources and users", .tags(.root), .enabled(if: isRoot, "needs root to become other users"))
struct SourceUserTests {
    /// Runs a script with a home folder that belongs to `user`.
    @discardableResult
    private func run(
        _ sources: String, _ script: String, as user: Int = 60_452, prints output: String,
        at location: SourceLocation = #_sourceLocation
    ) throws -> CommandRunner.Outcome {
        let preparation = #"""
            chmod 755 $work; chown -R \#(user):\#(user) $HOME
            as() { setpriv --reuid \#(user) --regid \#(user) --clear-groups "$@"; }; cd /

            """#
        return try SourcesUnderTest.run(sources, preparation + script, prints: output, at: location)
    }

    @Test("if the quota is full, the reader gets the secret, with a warning")
    func quota() throws {
        try run(
            "api --timeout 1m -- sh -c 'echo run >> runs; echo s3cret'",
            #"""
            as keyctl session - bash -c 'skr set room --scope user <<< x; i=0
                while keyctl add user skr-test-$i x @u; do i=$((i + 1)); done > /dev/null 2>&1
                skr get api; echo " $?"; skr get api; echo " $?"; keyctl clear @u' 2> $work/errors
            runs; cat $work/errors >&2; grep -c "^skr: warning: .*quota.*; the output is not kept$" $work/errors
            """#,
            // No other test uses this user: while its quota is full, it can't even have a new session.
            as: 60_453, prints: "s3cret 0\ns3cret 0\nrun run\n2\n")
    }

    @Test("in another user's session, the reader gets the secret, and it is not stored")
    func foreignSession() throws {
        let outcome = try run(
            "api --timeout 1m -- sh -c 'echo run >> runs; echo s3cret'",
            "as skr get api; echo \" $?\"; runs; skr list", prints: "s3cret 0\nrun\n")
        #expect(outcome.errors.hasPrefix("skr: warning: "), "\(outcome)")
    }

    @Test("a file of another user is not used, and the error names its owner")
    func otherOwner() throws {
        let outcome = try run("api --timeout 1m -- echo s3cret", "skr get api; echo $?", prints: "77\n")
        #expect(outcome.errors.contains("belongs to user 60452\n"), "\(outcome)")
    }

    @Test("a file that another user's link chooses is not used, even if it belongs to the reader")
    func foreignLink() throws {
        let outcome = try run(
            "api --timeout 1m -- echo s3cret",
            """
            as mv $HOME/.config/skr/sources $HOME/download; ln -s $HOME/download $HOME/.config/skr/sources; chown -h 60453 $HOME/.config/skr/sources
            as keyctl session - skr get api; echo $?; chown -h 60452 $HOME/.config/skr/sources; as keyctl session - skr get api
            """, prints: "77\ns3cret")
        #expect(outcome.errors.contains("the link '") && outcome.errors.contains("' belongs to user 60453\n"))
    }

    @Test("the folders and links above the home folder may be an administrator's")
    func administrator() throws {
        try run(
            "api --timeout 1m -- echo s3cret",
            "ln -s home $work/link; chown -h 60453 $work $work/link; export HOME=$work/link; as keyctl session - skr get api",
            prints: "s3cret")
    }

    @Test("the error names no chmod for another user's folder")
    func foreignFolder() throws {
        let outcome = try run(
            "api --timeout 1m -- echo s3cret",
            "mkdir -m 777 $work/l; mv $sources $work/l; ln -s $work/l/sources $sources; as skr get api; echo $?",
            prints: "77\n")
        #expect(outcome.errors.hasSuffix("skr: hint: move the file to a folder of your own\n"), "\(outcome)")
    }

    @Test("in a user namespace, the user who stands for all others owns nothing")
    func overflowUser() throws {
        let outcome = try run(
            "api --timeout 1m -- echo s3cret",
            """
            as keyctl session - skr get api; echo
            as keyctl session - unshare --user skr get api; echo $?; as keyctl session - unshare --map-root-user skr get api
            """, as: 65_534, prints: "s3cret\n77\ns3cret")
        #expect(outcome.errors.contains("belongs to user 65534, which stands for all users that this user namespace"))
    }

    @Test("a program that runs with the rights of another user ignores sources")
    func setUserID() throws {
        try run(
            "api --timeout 1m -- sh -c 'echo run >> $HOME/runs; echo s3cret'",
            #"""
            cp $(command -v skr) $work/skr; export PATH=$work:$PATH; chmod 4755 $work/skr; as keyctl session - skr get api 2> /dev/null; echo $?; runs
            chmod 755 $work/skr; as keyctl session - skr get api
            """#, prints: "1\n\ns3cret")
    }
}
