import CommandSupport
import ArgumentParser

extension Place.Scope: ExpressibleByArgument {}

/// Where the items are.
struct PlaceOptions: ParsableArguments {
    /// The variables that stand in for options.
    static let variables = [(name: "SKR_SCOPE", option: "--scope"), (name: "SKR_NAMESPACE", option: "--namespace")]

    @Option(
        help: ArgumentHelp(
            "Whose items: this session's, all of the user's, or the user's over logins.", valueName: "scope"))
    var scope: Place.Scope?

    @Option(help: ArgumentHelp("Whose items among them, for instance an application's name.", valueName: "name"))
    var namespace: String?

    func place(usually usual: Place.Scope = .session) throws(CommandError) -> Place {
        try Place(scope: scope, namespace: namespace, usual: usual)
    }
}

/// Which item.
struct TargetArguments: ParsableArguments {
    @Argument(help: "What the secret is for.", completion: .services)
    var service: String

    @Argument(help: "Whose it is, where a service has several.", completion: .accounts)
    var account: String?

    @OptionGroup var options: PlaceOptions

    func target() throws(CommandError) -> Target {
        Target(place: try options.place(), service: service, account: account)
    }
}
