import ArgumentParser
import CommandSupport

struct HelperCommand: VerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "helper",
        abstract: "Give git, docker and others their secrets from the keyring.",
        discussion: """
            CLIENT is one of \(HelperClient.allCases.map(\.rawValue).joined(separator: ", ")). It is the client that \
            starts its helper; 'skr helper install CLIENT' sets it up, and shows what is changed.

            What a client stores is an item: its service is what the client calls the server, its account the user; \
            'skr get', 'skr list' and 'skr delete' know it. --timeout, else SKR_TIMEOUT, says how long that lives \
            which comes without a lifetime. Storing the same secret again never makes it live longer; a shorter --timeout \
            shortens it.

            aws, kubernetes, google, go and npm are told what to answer with: the NAME of an item and maybe its \
            ACCOUNT, or a command behind '--'. What that prints is kept under NAME until 5 minutes before it ends, and \
            one of all processes that ask runs it; 'skr cached --forget NAME --key aws' drops it. Each recipient has \
            a kept answer of its own, named behind the account ('' for none): for kubernetes by the server (which \
            kubectl tells with 'provideClusterInfo: true'), for google by the audience and the e-mail, for go by what \
            --prefix says: "skr cached --forget NAME --key kubernetes --key '' --key https://HOST".

            go adds a URL to the words, so no command for it may end with a word that begins with https://.

            askpass answers a prompt that names its secret, such as a key's path; SKR_ASKPASS=SERVICE[/ACCOUNT] is \
            the item for one that names none, unless a server asks.

            install CLIENT makes the link by whose name the client finds its helper, in ~/.local/bin (for root also in \
            /usr/local/bin, if PATH has only that), and prints the lines for the client's configuration. For git and \
            docker, --write-config adds them. It replaces no entry but its own (exit code 73), and refuses to edit a file \
            that it does not fully understand, or that has several hard links (65). For npm, name the registry too.

            uninstall CLIENT removes the link and, with --write-config, exactly the line that install adds; exit code \
            1 if the client is not set up. CLIENT may also be one of \(HelperClient.aliases.map(\.name).joined(separator: ", ")).

            status [CLIENT] lists the link in PATH, the helper that the client's configuration names, and the command \
            that sets up what is missing; into a pipe, one line each with tabs between.
            """
    )

    static let examples = """
        aws configure set credential_process 'skr helper aws prod'
        skr helper install git --timeout 8h --write-config
        skr helper install docker --write-config
        skr helper status
        skr helper uninstall git --write-config
        """

    @Argument(help: "Whose helper it is; or install, status, uninstall.", completion: .names(.helperClients))
    var client: String

    @Argument(help: "What the client says.", completion: .names(.helperWords))
    var words: [String] = []

    @Option(help: ArgumentHelp("The timeout of what comes without one.", valueName: "duration|never"))
    var timeout: TimeoutArgument?

    @Option(help: "The folder of the link, for install and uninstall.", completion: .directory)
    var dir: String?

    @Flag(help: "Have install and uninstall edit the configuration of git or docker.")
    var writeConfig = false

    @Flag(help: "Have status print an array, for programs.")
    var json = false

    @OptionGroup var options: PlaceOptions

    /// What is no client's.
    static let ownVerbs = ["install", "status", "uninstall"]

    /// A client that is known does not come here: ``HelperCall`` parses its words.
    func action() throws(CommandError) -> any VerbAction {
        switch client {
        case "install":
            try require(!json, "--json is for status")
            return InstallAction(call: try setupCall(), writesConfiguration: writeConfig)
        case "uninstall":
            try require(!json && helperOptions.isEmpty, "uninstall takes --dir and --write-config only")
            return UninstallAction(call: try setupCall(), writesConfiguration: writeConfig)
        case "status":
            try require(
                words.count <= 1 && dir == nil && !writeConfig && helperOptions.isEmpty,
                "status takes a client and --json only")
            return StatusAction(user: try SetupUser(), client: words.first, isJSON: json)
        default:
            guard HelperClient.serving(client) == nil else { throw optionsBeforeClient }
            throw Self.unknownClient(client, among: Self.ownVerbs)
        }
    }

    static func unknownClient(_ name: String, among others: [String] = []) -> CommandError {
        let names = HelperClient.allNames
        let nearest = NearestName.to(name, among: names + others)
        return .usage(
            "no such client: \(Display.plain(name))",
            hint: nearest.map { "did you mean '\($0)'?" }
                ?? "there are \(names.joined(separator: ", ")); \(Guide.useItWith.reference) shows each")
    }

    private func setupCall() throws(CommandError) -> SetupCall {
        guard let name = words.first, words.count <= 2 else {
            throw .usage(
                "\(client) is for one client", hint: "name it: skr helper \(client) git")
        }
        let call = try SetupCall(
            name, registry: words.count > 1 ? words[1] : nil, folder: dir, options: helperOptions,
            user: try SetupUser())
        try require(
            helperOptions.isEmpty || call.takesOptions,
            "\(name) starts its helper without options; set SKR_TIMEOUT, SKR_SCOPE and SKR_NAMESPACE")
        return call
    }

    /// What the client is to say to its helper.
    private var helperOptions: [String] {
        [("--timeout", timeout?.text), ("--scope", options.scope?.rawValue), ("--namespace", options.namespace)]
            .flatMap { name, value in
                value.map { $0.hasPrefix("-") ? ["\(name)=\($0)"] : [name, $0] } ?? []
            }
    }

    private var optionsBeforeClient: CommandError {
        let call = ["skr", "helper", client] + helperOptions + words
        return .usage(
            "the options of a helper come behind its client", hint: call.map(Display.shellWord).joined(separator: " "))
    }

    private func require(_ isSo: Bool, _ message: String) throws(CommandError) {
        guard isSo else { throw .usage(message, hint: "'skr help helper' shows the options") }
    }
}

extension TimeoutArgument {
    /// As it is written.
    fileprivate var text: String {
        guard let duration else { return "never" }
        let short = DurationText.rounded(duration)
        return DurationText.parse(short) == duration ? short : "\(duration.components.seconds)s"
    }
}
