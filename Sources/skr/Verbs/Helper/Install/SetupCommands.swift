import ArgumentParser
import CommandSupport

/// Which client is set up, and where.
struct SetupArguments: ParsableArguments {
    @Argument(help: "The client, or a program that its helper serves too.", completion: .list(HelperClients.allNames))
    var client: String

    @Argument(help: "For npm, a name of your choice for the registry.")
    var registry: String?

    @Option(help: "The folder of the link.", completion: .directory)
    var dir: String?

    @Flag(help: "Edit the configuration of git or docker.")
    var writeConfig = false

    func call(options: [String] = []) throws(CommandError) -> SetupCall {
        try SetupCall(client, registry: registry, folder: dir, options: options, user: try SetupUser())
    }
}

struct InstallCommand: VerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Set a client up to ask skr.",
        discussion: """
            Makes the link by which the client finds its helper, in ~/.local/bin, or for root in /usr/local/bin if PATH has only \
            that one. Prints the lines for the client's configuration. For git and docker, --write-config adds them.

            Nothing that belongs to another helper is replaced: that is exit code 73. A file that is not fully understood, or that \
            has several hard links, is not edited: exit code 65.
            """
    )

    static let examples = """
        skr helper install git --timeout 8h --write-config
        skr helper install kubectl
        skr helper install npm work
        """

    @OptionGroup var arguments: SetupArguments
    @OptionGroup var options: HelperOptions

    func action() throws(CommandError) -> any VerbAction {
        let call = try arguments.call(options: options.words)
        guard options.words.isEmpty || call.client.start.takesOptions else {
            throw .usage(
                "\(call.name) starts its helper without options",
                hint: "set SKR_TIMEOUT, SKR_SCOPE and SKR_NAMESPACE instead")
        }
        return InstallAction(call: call, writesConfiguration: arguments.writeConfig)
    }
}

struct UninstallCommand: VerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninstall",
        abstract: "Undo what install has done.",
        discussion: """
            Removes the link, and prints what to take out of the client's configuration. With --write-config, removes exactly the \
            line that 'skr helper install' adds. Exit code 1 if the client is not set up.
            """
    )

    static let examples = """
        skr helper uninstall git --write-config
        skr helper uninstall npm work
        """

    @OptionGroup var arguments: SetupArguments

    func action() throws(CommandError) -> any VerbAction {
        UninstallAction(call: try arguments.call(), writesConfiguration: arguments.writeConfig)
    }
}

struct StatusCommand: VerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show which clients are set up.",
        discussion: """
            For each client: its link in PATH, the helper that its configuration names, and the command that sets up what is \
            missing. Into a pipe, a line for each client with tabs between the columns.
            """
    )

    static let examples = """
        skr helper status
        skr helper status git
        skr helper status --json | jq '.[] | select(.isConfigured)'
        """

    @Argument(help: "Only this client.", completion: .list(HelperClients.allNames))
    var client: String?

    @Flag(help: "Print an array, for programs.")
    var json = false

    func action() throws(CommandError) -> any VerbAction {
        StatusAction(user: try SetupUser(), client: client, isJSON: json)
    }
}
