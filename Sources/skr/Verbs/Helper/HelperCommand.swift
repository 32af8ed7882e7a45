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
            which comes without a lifetime. To store the same secret again does not make it live longer.

            aws, kubernetes, google, go and npm are told what to answer with: the NAME of an item and maybe its \
            ACCOUNT, or a command behind '--'. What that prints is kept under NAME until 5 minutes before it ends, and \
            one of all processes that ask runs it; 'skr cached --forget NAME --key aws' drops it.
            """
    )

    static let examples = """
        git config --global credential.helper 'skr --timeout 8h'
        aws configure set credential_process 'skr helper aws prod'
        """

    @Argument(help: "Whose helper it is.")
    var client: String

    @Argument(help: "What the client says.")
    var words: [String] = []

    @Option(help: ArgumentHelp("The timeout of what comes without one.", valueName: "duration|never"))
    var timeout: TimeoutArgument?

    @OptionGroup var options: PlaceOptions

    /// A client that is known does not come here: ``HelperCall`` parses its words.
    func action() throws(CommandError) -> any VerbAction {
        let names = HelperClient.allCases.map(\.rawValue)
        let nearest = NearestName.to(client, among: names)
        throw .usage(
            "no such client: \(Display.plain(client))",
            hint: nearest.map { "did you mean '\($0)'?" } ?? "there are \(names.joined(separator: ", "))")
    }
}
