import CommandSupport
import ArgumentParser
import SessionKeyring

struct DeleteCommand: VerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a secret.",
        discussion: """
            Without ACCOUNT it is the item that has none, else the only account of the service. Exit code 1 says that \
            there was none.
            """
    )

    static let examples = """
        skr delete api
        skr delete db alice
        """

    @OptionGroup var target: TargetArguments

    func action() throws(CommandError) -> any VerbAction {
        DeleteAction(target: try target.target())
    }
}

struct DeleteAction: VerbAction {
    let target: Target

    func run() throws {
        let store = try target.place.store()
        let item = try target.meantItem(in: store)
        guard try store.delete(item) else { throw target.missing(item, in: store) }
    }
}

extension DeleteAction {
    /// `nil` for a call that is not plain.
    init?(plain words: CommandLineWords) {
        var call = PlainCall(words)
        guard call.nextOption() == nil, let target = call.target() else { return nil }
        self.target = target
    }
}
