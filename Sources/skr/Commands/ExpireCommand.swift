import CommandSupport
import ArgumentParser

struct ExpireCommand: VerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "expire",
        abstract: "Give a secret a new timeout, counted from now.",
        discussion: """
            EXAMPLES:
              skr expire api --timeout 5m
            """
    )

    @OptionGroup var target: TargetArguments

    @Option(help: ArgumentHelp("When the kernel drops it: 90s, 15m, 8h, 2d, 1h30m.", valueName: "duration"))
    var timeout: DurationArgument

    func invocation() throws(CommandError) -> Invocation {
        .expire(try target.target(), timeout: timeout.duration)
    }
}
