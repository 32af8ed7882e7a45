import CommandSupport
import ArgumentParser

struct ClearCommand: VerbCommand, VerbAction {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Delete all secrets of the namespace, or of one service."
    )

    static let examples = """
        skr clear
        skr clear db
        """

    @Argument(help: "Only the items of this service.", completion: .names(.anyServices))
    var service: String?

    @OptionGroup var options: PlaceOptions

    func run() throws {
        let store = try options.place().store()
        guard let service else { return try store.clear() }
        for item in try store.identities() where item.service.utf8.elementsEqual(service.utf8) {
            try store.delete(item)
        }
    }
}
