import CommandSupport

struct NetrcClient: HelperClient {
    static let name = "netrc"
    static let summary = "The lines of a netrc file, for curl, Nix and others."
    static let details = """
        Prints the lines of a netrc file: one for each account of the given hosts, or of all hosts. A program can \
        read them as a file: curl --netrc-file <(skr helper netrc HOST).

        skr uses only items that git, docker or keyring stored. 'skr helper keyring set https://HOST USER' stores \
        one by hand.

        A netrc file has no ports or paths. If an account has several items on one host, skr prints the https item \
        without a port.
        """
    static let examples = """
        printf 'protocol=https\\nhost=example.com\\nusername=me\\npassword=x\\n' | skr helper git store
        skr helper netrc example.com
        skr helper netrc
        """

    static let start = HelperStart.commandLine
    static let errors = HelperErrors.onStandardError

    private let options: HelperOptions
    private let hosts: [String]

    init(_ words: inout CommandWords) {
        options = HelperOptions(&words)
        hosts = words.words("HOST", "A host, or an item's service; without it, all hosts.", .anyServices)
    }

    func run() throws {
        try options.call(of: Self.self).answer(.none, isReading: true) { helper, _ in try helper.netrc(hosts) }
    }

    static func setup(of program: String) -> any ClientSetup {
        ShownSetup(words: "helper netrc") { call, _ in
            [
                "for programs that read a netrc file:",
                "  curl --netrc-file <(skr helper netrc\(call.shellOptions) example.com) https://example.com/",
                "store the password, unless git has stored it:",
                "  skr helper keyring\(call.shellOptions) set https://example.com \"$USER\"",
            ]
        }
    }
}
