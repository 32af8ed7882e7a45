import CommandSupport
import ArgumentParser
import SessionKeyring

struct ExpireCommand: VerbCommand, VerbAction {
    static let configuration = CommandConfiguration(
        commandName: "expire",
        abstract: "Give a secret a new timeout, counted from now."
    )

    static let examples = """
        skr expire api --timeout 5m
        """

    @OptionGroup var target: TargetArguments

    @Option(help: ArgumentHelp("When the kernel drops it: 90s, 15m, 8h, 2d, 1h30m.", valueName: "duration"))
    var timeout: DurationArgument

    func run() throws {
        let target = try target.target()
        let store = try target.place.store()
        let item = try target.meantItem(in: store)
        guard try store.expire(item, timeout: timeout.duration) else { throw target.missing(item, in: store) }
    }
}
