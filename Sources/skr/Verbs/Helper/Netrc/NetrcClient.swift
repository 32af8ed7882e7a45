import ArgumentParser
import CommandSupport

struct NetrcClient: HelperClient, ExampleCommand {
    static let name = "netrc"
    static let aliases: [String] = []
    static let summary = "The lines of a netrc file, for curl, Nix and others."
    static let details = """
        Prints a line for each account of the machines named, or of all machines, from what git, docker and keyring have stored, for \
        a program that reads such a file: curl --netrc-file <(skr helper netrc HOST). A netrc knows neither ports nor paths: of several items of one account, that of https \
        without a port is printed.
        """
    static let examples = """
        printf 'protocol=https\\nhost=example.com\\nusername=me\\npassword=x\\n' | skr helper git store
        skr helper netrc example.com
        skr helper netrc
        """

    static let start = HelperStart.commandLine
    static let words = HelperWords.options([], flags: [], behind: .nothing)
    static let errors = HelperErrors.onStandardError

    @Argument(help: "A machine, or the service of an item; all if left out.", completion: .names(.anyServices))
    var machines: [String] = []

    @OptionGroup var options: HelperOptions

    static func action(for call: HelperCall) -> any VerbAction {
        HelperAction(call: call, request: .none) { call, helper, _ in try helper.netrc(call.words) }
    }

    static func setup(of program: String) -> any ClientSetup {
        ShownSetup("helper netrc") { call, _ in
            [
                "for programs that read a netrc file:",
                "  curl --netrc-file <(skr helper netrc\(call.shellOptions) example.com) https://example.com/",
            ]
        }
    }
}
