import CommandSupport
import ArgumentParser

struct DeleteCommand: VerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a secret.",
        discussion: """
            Without ACCOUNT it is the item that has none, else the only account of the service. Exit code 1 says that \
            there was none.

            EXAMPLES:
              skr delete api
              skr delete db alice
            """
    )

    @OptionGroup var target: TargetArguments

    func invocation() throws(CommandError) -> Invocation {
        .delete(try target.target())
    }
}
