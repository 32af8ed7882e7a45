import ArgumentParser
import CommandSupport
import Glibc
import Keyutils

struct ListCommand: VerbCommand, VerbAction {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List names, sizes and time left; never a secret.",
        discussion: """
            On a terminal a table, no wider than that: long names are shortened in their middle, and where that is not \
            enough, columns are left out. Into a pipe one line an item, all of it: kind, service, account, bytes and \
            time left, with tabs between and no heading. Time left is rounded down by the kernel to the unit shown; \
            '-' means no timeout. Numbers in names count as numbers: svc-2 stands before svc-10.

            A SERVICE that ends in '*' means all that begin with what is before it; write it in quotes. A service whose \
            own name ends in '*' is among them.

            The kind 'cached' is what 'skr cached' keeps: the table shows the --key options that belong to it, a pipe \
            and JSON have the keys as the account, with commas between. 'skr cached --forget' drops it.

            --all lists every scope and namespace of this login, and has two more columns before the others, scope and \
            namespace. It makes no keyring and does not renew the time of the persistent one. SKR_SCOPE and SKR_NAMESPACE \
            don't count then. If /proc/keys is hidden, some scopes can't be looked at, and a warning reports it.

            --expiring lists the items of which the kernel says that less is left, and none without a timeout. As time \
            left is rounded down, an item may come early, and never late. Exit code 0 if there are some; 1, and nothing \
            is printed, if there are none; 69 where /proc/keys is hidden, so that no time left is known.

            JSON: an array, in the order of the lines, of objects with sorted names:
              account            text; empty where the item has none
              gid, uid           whose the key is
              kind               "password", "internet", "key", "credential" or
                                 "cached"; "unreadable" for a key that can't be
                                 read
              namespace, scope   where it is; with --all only
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
        skr list 'svc-*'
        skr list --all
        skr list --expiring 10m >/dev/null && echo 'secrets end soon'
        skr list --json | jq -r '.[].service'
        """

    @Argument(
        help: "Only the items of this service; with a '*' at its end, of all that begin so.",
        completion: .names(.anyServices))
    var service: String?

    @Flag(help: "Every scope and namespace of this login.")
    var all = false

    @Option(
        help: ArgumentHelp("Only items that have less than this left: 90s, 15m, 8h, 2d, 1h30m.", valueName: "duration"))
    var expiring: DurationArgument?

    @Flag(help: "An array of objects, for programs.")
    var json = false

    @OptionGroup var options: PlaceOptions

    func run() throws {
        guard !all || (options.scope == nil && options.namespace == nil) else {
            throw CommandError.usage(
                "--all lists every scope and namespace", hint: "leave out --all, or --scope and --namespace")
        }
        let place = all ? nil : try options.place()
        var places = try place.map { [try ListedPlace($0)] } ?? ListedPlace.all()
        if let expiring {
            try requireTimesLeft(of: places)
            for index in places.indices { places[index].keep(expiringWithin: expiring.duration) }
        }
        if let service { for index in places.indices { places[index].keep(service: service) } }
        let items = places.flatMap { $0.listed(isNamed: all) }
        if expiring != nil, items.isEmpty { Glibc.exit(ExitCode.noItem.rawValue) }
        if json {
            try Console.writeLine(JSONOutput.text(of: items.map(\.json)))
        } else if !Console.isOutputTerminal {
            try Console.write(items.map { $0.columns.joined(separator: "\t") + "\n" }.joined())
        } else if !items.isEmpty {
            let table = TextTable(columns: ListedItem.titles(isPlaceNamed: all), rows: items.map(\.tableColumns))
            try Console.write(table.text(width: TerminalWidth.of(STDOUT_FILENO)))
        } else {
            let what = service.map { " as \(Display.quoted($0))" } ?? ""
            Console.note("nothing stored\(what)\(place?.remark ?? " in any scope")")
        }
    }

    private func requireTimesLeft(of places: [ListedPlace]) throws(CommandError) {
        let items = places.flatMap(\.items)
        let unknown = items.filter { $0.expiry == .unknown }
        guard items.isEmpty || !unknown.isEmpty else { return }
        let table = KeyTable.ifShown()
        // An item that has expired in the meantime is in the table as expired, or is gone.
        guard unknown.contains(where: { table?[$0.serial] == nil && (try? Key($0.serial).describe()) != nil }) else {
            return
        }
        throw CommandError(
            exitCode: .unavailable, message: "no time left is known: /proc/keys is hidden",
            hint: "have /proc mounted, and not masked by a container; timeouts work all the same")
    }
}
