import CommandSupport
import ArgumentParser

struct ClearCommand: VerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Delete all secrets of the namespace, or of one service."
    )

    static let examples = """
        skr clear
        skr clear db
        """

    @Argument(help: "Only the items of this service.", completion: .anyServices)
    var service: String?

    @OptionGroup var options: PlaceOptions

    func action() throws(CommandError) -> any VerbAction {
        ClearAction(place: try options.place(), service: service)
    }
}

struct ClearAction: VerbAction {
    let place: Place
    let service: String?

    func run() throws {
        let store = try place.store()
        guard let service else { return try store.clear() }
        for item in try store.identities() where item.service.utf8.elementsEqual(service.utf8) {
            try store.delete(item)
        }
    }
}
