import ArgumentParser
import CommandSupport

/// The other programs whose secrets can be imported.
enum ImportSource: String, CaseIterable, ExpressibleByArgument {
    case keyringRS = "keyring-rs"
    case goKeyring = "99designs"
    case pythonKeyring = "python-keyring-keyutils"
    case askPassword = "systemd-ask-password"
    case pass
    case dotenv
}

struct ImportCommand: VerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import secrets that other programs have stored.",
        discussion: """
            import lists the secrets that it finds, without their values: kind, service, account, bytes, and whether \
            each is new or 'there already'. Only --yes imports them. Existing items stay unless you use --replace, \
            and the source stays unchanged.

            import skips a secret whose name can't be an item's name, and prints that name and the reason. Exit code \
            1 if there is nothing to import.

            keyring-rs: the keys of this Rust library, in the session keyring and in the user's persistent keyring. \
            The account is the text before the last @ of the key's name, so it is wrong if the service has an @.

            99designs: the keys of this Go library (aws-vault), in the keyring that --service names. That name \
            becomes the service.

            python-keyring-keyutils: the keys in the session's keyring of that name. The account is the text after \
            the last colon.

            systemd-ask-password: all keys of the user keyring, or only the one that --service names. If a key has \
            several passwords, the first one is imported.

            pass: the entries of the password store. The secret is the first line that 'pass show' prints, so its \
            size is unknown before it is imported.

            dotenv: the variables in FILE. A line NAME=value becomes the service NAME; with --service, it becomes \
            the account NAME of that service. References and empty values are skipped.
            """
    )

    static let examples = """
        skr import --from dotenv .env
        skr import --from dotenv .env --service app --yes --timeout 8h
        skr import --from 99designs --service aws-vault --yes
        """

    @Argument(help: "The file, only for dotenv.", completion: .file())
    var file: String?

    @Option(help: ArgumentHelp("The program that stored the secrets.", valueName: "source"))
    var from: ImportSource

    @Option(help: "The keyring or key to import from, as described above; for dotenv, the service to store under.")
    var service: String?

    @Flag(help: "Import the listed secrets.")
    var yes = false

    @Flag(help: "Replace existing items.")
    var replace = false

    @Option(
        name: .joinable("t"),
        help: ArgumentHelp("How long the secrets are kept, as in 'skr help set'.", valueName: "duration|never"))
    var timeout: TimeoutArgument?

    @OptionGroup var options: PlaceOptions

    func action() throws(CommandError) -> any VerbAction {
        if let timeout, !timeout.isPossible {
            throw .usage(
                "--timeout must be 1 to 4294967295 seconds",
                hint: "write it as \(DurationText.forms), or never")
        }
        return ImportAction(
            place: try options.place(), finder: try finder(), source: from.rawValue,
            timeout: try TimeoutArgument.usual(unless: timeout)?.duration, imports: yes, replaces: replace)
    }

    private func finder() throws(CommandError) -> any SecretFinder {
        guard (file != nil) == (from == .dotenv) else {
            throw .usage(
                file == nil ? "--from dotenv needs a file" : "--from \(from.rawValue) takes no file",
                hint: file == nil ? "skr import --from dotenv .env" : "leave it out; only dotenv takes one")
        }
        switch (from, service) {
        case (.keyringRS, nil): return KeyringRSFinder()
        case (.goKeyring, let service?): return GoKeyringFinder(service: service)
        case (.pythonKeyring, nil): return PythonKeyringFinder()
        case (.askPassword, _): return AskPasswordFinder(name: service)
        case (.pass, nil): return PassFinder()
        case (.dotenv, _): return DotenvFinder(path: file ?? "", service: service)
        case (.goKeyring, nil):
            throw .usage(
                "--from 99designs needs --service", hint: "pass the program's ServiceName, such as --service aws-vault")
        case (_, _?): throw .usage("--from \(from.rawValue) takes no --service", hint: "leave it out")
        }
    }
}
