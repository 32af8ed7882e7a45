import ArgumentParser
import CommandSupport

/// The arguments that say which client is set up, and where.
struct SetupArguments: ParsableArguments {
    @Argument(
        help: "The client, or one of its other names, such as kubectl.", completion: .list(HelperClients.allNames))
    var client: String

    @Argument(help: "For npm: the name of the item that has the token (letters, digits, '.', '_' and '-').")
    var registry: String?

    @Option(help: "The folder for the link, instead of the usual one.", completion: .directory)
    var dir: String?

    @Flag(help: "Edit the configuration too (git and docker only).")
    var writeConfig = false

    func call(options: [String] = []) throws(CommandError) -> SetupCall {
        let call = try SetupCall(client, registry: registry, folder: dir, options: options, user: try SetupUser())
        guard !writeConfig || call.setup is any WritableSetup else {
            throw .usage(
                "skr doesn't edit the configuration of \(call.name)",
                hint: "leave out --write-config, and edit it as the printed lines show")
        }
        return call
    }
}

struct InstallCommand: VerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Set a client up to get its secrets from skr.",
        discussion: """
            Creates a symbolic link to skr, if the client starts its helper through one. The link is in \
            ~/.local/bin; for root, it is in /usr/local/bin if only that is in PATH; for terraform, it is in \
            ~/.terraform.d/plugins.

            Prints the lines to add to the client's configuration. For git and docker, --write-config adds them, if \
            the files are yours and docker's config.json is an ordinary file. Otherwise the files stay unchanged \
            (exit code 65, or 77 if they belong to another user).

            install writes only in a home that belongs to you and that others can't change. Otherwise, as in \
            'sudo -E', it prints the commands that make the link (exit code 77). --dir names a folder anywhere.

            install never replaces another program's file or another helper (exit code 73).

            If you give --timeout, --scope or --namespace, the lines contain them. Some clients, such as docker, \
            start their helper without options: for these, set SKR_TIMEOUT, SKR_SCOPE and SKR_NAMESPACE instead.
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
        abstract: "Undo 'skr helper install'.",
        discussion: """
            Removes the link, and prints the lines to delete from the client's configuration. For git and docker, \
            --write-config deletes them. Exit code 1 if the client is not set up.

            Stored secrets stay: 'skr delete' and 'skr clear' delete them.
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
            For each client, shows its link, the helper in its configuration and, if it isn't set up yet, the \
            command that sets it up. If the output is not a terminal, prints one line for each client, with tabs \
            between the columns.
            """
    )

    static let examples = """
        skr helper status
        skr helper status git
        skr helper status --json | jq '.[] | select(.isConfigured)'
        """

    @Argument(help: "Show only this client.", completion: .list(HelperClients.allNames))
    var client: String?

    @Flag(help: "Print a JSON array, for programs.")
    var json = false

    func action() throws(CommandError) -> any VerbAction {
        StatusAction(user: try SetupUser(), client: client, isJSON: json)
    }
}
