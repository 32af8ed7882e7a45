import CommandSupport
import ArgumentParser
import SessionKeyring

struct ExpireCommand: VerbCommand, VerbAction {
    static let configuration = CommandConfiguration(
        commandName: "expire",
        abstract: "Give a secret a new timeout, counted from now, or remove its timeout."
    )

    static let examples = """
        skr expire api --timeout 5m
        skr expire api --never
        """

    @OptionGroup var target: TargetArguments

    @Option(
        name: .joinable("t"),
        help: ArgumentHelp(
            "How long the secret is kept from now: 90s, 15m, 8h, 2d or 1h30m; never means as --never.",
            valueName: "duration|never"))
    var timeout: TimeoutArgument?

    @Flag(help: "Remove the timeout: the secret is kept until the session ends.")
    var never = false

    func run() throws {
        guard (timeout != nil) != never else {
            throw CommandError.usage(
                "expire needs either --timeout or --never", hint: "write, for example, --timeout 15m")
        }
        let target = try target.target()
        let store = try target.place.store()
        let item = try target.meantItem(in: store)
        guard try store.expire(item, timeout: timeout?.duration) else {
            throw target.missing(item, in: store, hint: MissingItem.listHint)
        }
    }
}
