import CommandSupport

struct HelperVerb: Verb {
    static let name = "helper"
    static let summary = "Let git, docker and others get secrets from the keyring."
    static let details = """
        'skr helper install CLIENT' sets a client up. When the client needs a secret, it runs its helper: 'skr \
        helper CLIENT', or a symbolic link to skr.

        A client stores each secret as an item. The item's service is the client's name for the server, and its \
        account is the user. 'skr get', 'skr list' and 'skr delete' work on these items.

        --timeout, or SKR_TIMEOUT, limits the lifetime of each secret. If a secret also has an expiry, the \
        earlier end counts. Storing the same secret again never extends its lifetime, but a shorter --timeout \
        shortens it.
        """

    static let examples = """
        skr helper install git --timeout 8h --write-config
        skr helper install docker --write-config
        skr helper status
        skr helper git --help
        """

    /// The verbs that are not clients.
    private static let ownVerbs = [InstallVerb.name, UninstallVerb.name, StatusVerb.name]

    static func verbs(_ visit: (any Verb.Type) -> Bool) -> Bool {
        visit(InstallVerb.self) || visit(UninstallVerb.self) || visit(StatusVerb.self)
            || HelperClients.forEach { visit($0) }
    }

    static func unknownVerb(_ word: String) -> CommandError? { HelperClients.unknown(word, among: ownVerbs) }

    init(_ words: inout CommandWords) {}

    func run() throws {
        throw CommandError.usage("no client given", hint: "'skr help helper' lists the clients")
    }
}

/// The options that every helper accepts.
struct HelperOptions {
    private let timeout: TimeoutArgument?
    private let place: PlaceOptions

    init(_ words: inout CommandWords) {
        words.mayBeSecret = true
        timeout = words.timeout(
            "The longest lifetime of a secret: 90s, 15m, 8h, 2d or 1h30m; never means no limit.",
            variable: TimeoutArgument.variable)
        place = PlaceOptions(&words)
    }

    func call(of client: any HelperClient.Type) throws(CommandError) -> HelperCall {
        HelperCall(
            client: client, place: try place.place(), timeout: try TimeoutArgument.usual(unless: timeout)?.duration)
    }

    /// The options as words of a command line.
    var words: [String] { PlaceOptions.words("--timeout", timeout?.text) + place.words }

    /// Returns options quoted for a client's configuration, each preceded by a space.
    static func quoted(_ words: [String]) -> String {
        words.map { " \(Display.storedWord($0))" }.joined()
    }
}
