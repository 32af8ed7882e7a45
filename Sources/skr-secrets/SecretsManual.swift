import CommandSupport

extension SecretsProgram {
    /// Returns the manual page, written in mdoc(7), with this date.
    static func manual(_ call: VerbCall, _ date: String) -> ManualPage {
        var more = ManualPage.Surroundings()
        more.exitCodes = exitCodes
        more.related = ["skr", "skr-session"]
        let guides = ["skr-guarantees", "skr-login-environments", "skr-use-it-with"]
        more.guides = guides.map { ($0, "") }
        return ManualPage(of: [call], version: version, date: date, more)
    }

    private static let exitCodes = [
        ("0", "done; also if a service already runs for this login"),
        ("1", "no Secret Service of skr-secrets runs here (--status)"),
        ("64", "wrong usage, such as an unknown option or a bad duration"),
        ("69", "no usable kernel keyring, or the session bus does not answer"),
        ("70", ExitCode.internalError.meaning),
        ("73", "a session bus or another Secret Service is already there, or no socket can be created"),
        ("77", "no permission to use the keyring"),
        ("126", ExitCode.cannotExecute.meaning),
        ("127", ExitCode.noCommand.meaning),
        ("other", "the exit code of CMD"),
    ]
}
