import CommandSupport
import ArgumentParser
import SessionKeyring

struct DeleteCommand: VerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a secret.",
        discussion: """
            Without ACCOUNT, delete takes the item that has no account, or else the only account of the service; \
            then it prints that account on standard error. Exit code 1 if the item doesn't exist.
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
        let isDeleted = try store.delete(item)
        // A remembered failure of the item's source goes too, so that the next reader runs the source.
        guard try (item.kind == .password ? store.delete(item.failure) : false) || isDeleted else {
            throw target.missing(item, in: store, hint: MissingItem.listHint)
        }
        // The user named only the service, so report the account that was chosen.
        if target.account == nil, !item.account.isEmpty { Console.note("deleted \(Display.name(of: item))") }
    }
}

extension DeleteAction {
    /// Creates the action of a plain call; `nil` for any other call.
    init?(plain words: CommandLineWords) {
        var call = PlainCall(words)
        guard call.nextOption() == nil, let target = call.target() else { return nil }
        self.target = target
    }
}
