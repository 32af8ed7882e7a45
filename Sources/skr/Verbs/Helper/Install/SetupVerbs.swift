import CommandSupport

/// The words that say which client is set up, and where.
struct SetupWords {
    private let folder: String?
    let writesConfiguration: Bool
    private let client: String
    private let registry: String?

    init(_ words: inout CommandWords) {
        folder = words.option("--dir", value: "FOLDER", "The folder for the link, instead of the usual one.", .folders)
        writesConfiguration = words.flag("--write-config", "Edit the configuration too (git and docker only).")
        client = words.word("CLIENT", "The client, or one of its other names, such as kubectl.", .clients)
        registry = words.optionalWord(
            "ITEM", "For npm: the name of the item that has the token (letters, digits, '.', '_' and '-').")
    }

    func call(options: [String] = []) throws(CommandError) -> SetupCall {
        let call = try SetupCall(client, registry: registry, folder: folder, options: options, user: try SetupUser())
        guard !writesConfiguration || call.setup is any WritableSetup else {
            throw .usage(
                "skr doesn't edit the configuration of \(call.name)",
                hint: "leave out --write-config, and edit it as the printed lines show")
        }
        return call
    }
}

struct InstallVerb: Verb {
    static let name = "install"
    static let summary = "Set a client up to get its secrets from skr."
    static let details = """
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

    static let examples = """
        skr helper install git --timeout 8h --write-config
        skr helper install kubectl
        skr helper install npm work
        """

    private let options: HelperOptions
    private let setup: SetupWords

    init(_ words: inout CommandWords) {
        options = HelperOptions(&words)
        setup = SetupWords(&words)
    }

    func run() throws {
        let call = try setup.call(options: options.words)
        guard options.words.isEmpty || call.client.start.takesOptions else {
            throw CommandError.usage(
                "\(call.name) starts its helper without options",
                hint: "set SKR_TIMEOUT, SKR_SCOPE and SKR_NAMESPACE instead")
        }
        try InstallAction(call: call, writesConfiguration: setup.writesConfiguration).run()
    }
}

struct UninstallVerb: Verb {
    static let name = "uninstall"
    static let summary = "Undo 'skr helper install'."
    static let details = """
        Removes the link, and prints the lines to delete from the client's configuration. For git and docker, \
        --write-config deletes them. Exit code 1 if the client is not set up.

        Stored secrets stay: 'skr delete' and 'skr clear' delete them.
        """

    static let examples = """
        skr helper uninstall git --write-config
        skr helper uninstall npm work
        """

    private let setup: SetupWords

    init(_ words: inout CommandWords) { setup = SetupWords(&words) }

    func run() throws {
        try UninstallAction(call: setup.call(), writesConfiguration: setup.writesConfiguration).run()
    }
}

struct StatusVerb: Verb {
    static let name = "status"
    static let summary = "Show which clients are set up."
    static let details = """
        For each client, shows its link, the helper in its configuration and, if it isn't set up yet, the \
        command that sets it up. If the output is not a terminal, prints one line for each client, with tabs \
        between the columns.
        """

    static let examples = """
        skr helper status
        skr helper status git
        skr helper status --json | jq '.[] | select(.isConfigured)'
        """

    private let isJSON: Bool
    private let client: String?

    init(_ words: inout CommandWords) {
        isJSON = words.flag("--json", "Print a JSON array, for programs.")
        client = words.optionalWord("CLIENT", "Show only this client.", .clients)
    }

    func run() throws { try StatusAction(user: SetupUser(), client: client, isJSON: isJSON).run() }
}
