import CommandSupport
import ArgumentParser

struct ListCommand: VerbCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List names, sizes and time left; never a secret.",
        discussion: """
            On a terminal a table; into a pipe one line an item: kind, service, account, bytes and time left, with tabs \
            between and no heading. Time left is rounded down by the kernel to the unit shown; '-' means no timeout.

            JSON: an array, in the order of the lines, of objects with sorted names:
              account            text; empty where the item has none
              gid, uid           whose the key is
              kind               "password", "internet" or "key"
              permissions        eight hexadecimal digits
              serial             the key's number
              service            text
              size               bytes
              timeLeft           whole seconds, rounded down; null without a timeout
                                 or where /proc/keys is hidden
              timeLeftPrecision  less than timeLeft and this together is left, in
                                 seconds; null as timeLeft
            """
    )

    static let examples = """
        skr list
        skr list --json | jq -r '.[].service'
        """

    @Argument(help: "Only the items of this service.", completion: .anyServices)
    var service: String?

    @Flag(help: "An array of objects, for programs.")
    var json = false

    @OptionGroup var options: PlaceOptions

    func action() throws(CommandError) -> any VerbAction {
        ListAction(place: try options.place(), service: service, asJSON: json)
    }
}
