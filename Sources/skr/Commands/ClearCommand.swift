import CommandSupport
import ArgumentParser

struct ClearCommand: VerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Delete all secrets of the namespace, or of one service.",
        discussion: """
            EXAMPLES:
              skr clear
              skr clear db
            """
    )

    @Argument(help: "Only the items of this service.", completion: .anyServices)
    var service: String?

    @OptionGroup var options: PlaceOptions

    func invocation() throws(CommandError) -> Invocation {
        .clear(try options.place(), service: service)
    }
}
