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
        abstract: "Take over secrets that other programs have stored.",
        discussion: """
            Lists what there is: kind, service, account, bytes, and whether it is new or there already; never a secret. \
            Only --yes imports. An existing item is kept unless --replace; the source stays as it is. A secret whose \
            name makes no item is passed over, counted, and named with the reason. Exit code 1 if there is nothing.

            keyring-rs: the keys of that Rust library, in the session and in the user's persistent keyring. The account \
            is what is before the last @, so a service with an @ is split in the wrong place.

            99designs: the keys of that Go library (aws-vault) in the keyring called as --service says, which becomes \
            the service.

            python-keyring-keyutils: the keys in the session's keyring of that name. The account is behind the last colon.

            systemd-ask-password: all keys of the user keyring, or the one that --service names. Of several passwords \
            the first is taken.

            pass: the names of the password store; the secret is the first line that 'pass show' prints. Its size is \
            known only then.

            dotenv: each NAME=value of FILE is the service NAME; with --service, the account NAME of that service. \
            References and empty values are passed over.
            """
    )

    static let examples = """
        skr import --from dotenv .env
        skr import --from dotenv .env --service app --yes --timeout 8h
        skr import --from 99designs --service aws-vault --yes
        """

    @Argument(help: "The file, for dotenv.", completion: .file())
    var file: String?

    @Option(help: ArgumentHelp("Which program's.", valueName: "source"))
    var from: ImportSource

    @Option(help: "Which of the source's, where it has several; for dotenv, the service to store under.")
    var service: String?

    @Flag(help: "Import what is listed.")
    var yes = false

    @Flag(help: "Replace what is there already.")
    var replace = false

    @Option(
        help: ArgumentHelp("When the kernel drops it, as for set.", valueName: "duration|never"))
    var timeout: TimeoutArgument?

    @OptionGroup var options: PlaceOptions

    func action() throws(CommandError) -> any VerbAction {
        if let timeout, !timeout.isPossible {
            throw .usage(
                "--timeout is not more than 0 and at most 4294967295 seconds",
                hint: "write it as \(DurationText.forms), or never")
        }
        return ImportAction(
            place: try options.place(), finder: try finder(), source: from.rawValue,
            timeout: try TimeoutArgument.usual(unless: timeout)?.duration, imports: yes, replaces: replace)
    }

    private func finder() throws(CommandError) -> any SecretFinder {
        guard (file != nil) == (from == .dotenv) else {
            throw .usage(
                file == nil ? "dotenv needs a file" : "\(from.rawValue) takes no file",
                hint: file == nil ? "skr import --from dotenv .env" : "only dotenv does")
        }
        switch (from, service) {
        case (.keyringRS, nil): return KeyringRSFinder()
        case (.goKeyring, let service?): return GoKeyringFinder(service: service)
        case (.pythonKeyring, nil): return PythonKeyringFinder()
        case (.askPassword, _): return AskPasswordFinder(name: service)
        case (.pass, nil): return PassFinder()
        case (.dotenv, _): return DotenvFinder(path: file ?? "", service: service)
        case (.goKeyring, nil):
            throw .usage("99designs needs --service", hint: "it is the ServiceName of the program, such as aws-vault")
        case (_, _?): throw .usage("\(from.rawValue) takes no --service", hint: "leave it out")
        }
    }
}
