import ArgumentParser
import CommandConventions
import StressOptions

struct StressCommand: RelayingCommand {
    static let configuration = CommandConfiguration(
        commandName: "stress",
        abstract: "Let many use the store at once, and check all that they saw.",
        discussion: StressOptions.discussion
    )

    @OptionGroup var options: StressOptions

    func invocation(relaying words: CommandLineWords) -> Invocation {
        .stress(words)
    }
}
