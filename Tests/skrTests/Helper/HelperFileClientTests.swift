import Foundation
import Testing

/// Clients whose configuration is a file of lines; each counts once `skr helper` answers it.
@Suite("skr helper install cargo, terraform, vault, npm")
struct HelperFileClientTests {
    private static let known =
        (try? CommandRunner().run("---complete", "zsh", "skr", "helper", "install", "").output)?.split(separator: "\n")
        ?? []

    private static let files = [
        ("cargo", "$HOME/.cargo/config.toml", "[build]\njobs = 2"),
        ("terraform", "$HOME/.terraformrc", "# c\r\nx = 1\r\n"),
        ("vault", "$HOME/.vault", ""),
    ].filter { known.contains(Substring($0.0)) }

    @Test("what was there is there again after uninstall, byte for byte; a new file goes away", arguments: files)
    func roundTrip(client: String, file: String, text: String) throws {
        let outcome = try HelperInstallTests.run(
            #"""
            file=\#(file); mkdir -p ${file%/*}; printf %s "$TEXT" > $file; cp $file before; chmod 640 $file
            skr helper install \#(client) --write-config > /dev/null; cp $file after; skr helper install \#(client) --write-config | tail -n 1 | grep -c already
            cmp after $file; cmp -s before after || echo changed; skr helper status | grep ^\#(client) | cut -f 2,3 | grep -c skr.*skr
            skr helper uninstall \#(client) --write-config > /dev/null; cmp before $file; stat -c %a $file; rm $file
            skr helper install \#(client) --write-config > /dev/null; stat -c %a $file; skr helper uninstall \#(client) --write-config | tail -n 1 | cut -d ' ' -f 1
            ls $file 2> /dev/null; find home -name '*skr*'
            """#, environment: ["TEXT": text])
        #expect(outcome == .init(exitCode: 0, output: "1\nchanged\n1\n640\n600\nremoved\n", errors: ""))
    }

    @Test("what is not understood for certain stays as it is", arguments: files)
    func unclear(client: String, file: String, text: String) throws {
        let outcome = try HelperInstallTests.run(
            #"""
            file=\#(file); mkdir -p ${file%/*}; printf 'a = """\n' > $file; cp $file before
            skr helper install \#(client) --write-config > /dev/null 2> errors; echo $?; cmp before $file; grep -c 'stays as it is: line 1 is' errors
            """#)
        #expect(outcome == .init(exitCode: 0, output: "65\n1\n", errors: ""))
    }

    @Test("terraform's link is where terraform looks", .enabled(if: known.contains("terraform")))
    func terraform() throws {
        let outcome = try HelperInstallTests.run(
            "skr helper install terraform > /dev/null; find home -type l; skr helper install terraform --dir bin 2>&1 | grep -c 'does not look in'"
        )
        #expect(outcome.output == "home/.terraform.d/plugins/terraform-credentials-skr\n1\n")
    }

    @Test("npm has a link for each registry", .enabled(if: known.contains("npm")))
    func npm() throws {
        let outcome = try HelperInstallTests.run(
            #"""
            skr helper install npm work | tail -n 1 | shown; skr helper install npm home > /dev/null; skr helper status | grep ^npm | cut -f 2
            skr helper uninstall npm work > /dev/null; ls $HOME/.local/bin; skr helper install npm 2> /dev/null; echo $?; skr helper install npm a/b 2> /dev/null; echo $?
            """#)
        #expect(
            outcome.output == """
                  //registry.example.com/:tokenHelper=W/home/.local/bin/skr-npm-work
                ~/.local/bin/skr-npm-home
                ~/.local/bin/skr-npm-work
                skr-npm-home
                64
                64

                """)
    }

    @Test(
        "what only the user can do is shown, and not made",
        arguments: ["aws", "kubernetes", "ansible", "askpass", "go", "bazel", "google", "netrc"].filter {
            known.contains(Substring($0))
        })
    func shown(client: String) throws {
        let outcome = try HelperInstallTests.run(
            "skr helper install \(client) --write-config 2> /dev/null; echo $?; ls -A home; skr helper install \(client) | grep -c skr"
        )
        #expect(outcome.output.hasPrefix("64\n") && !outcome.output.hasSuffix("\n0\n") && outcome.exitCode == 0)
    }
}
