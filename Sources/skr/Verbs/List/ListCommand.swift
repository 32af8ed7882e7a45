import ArgumentParser
import CommandSupport
import Keyutils
import SessionKeyring

struct ListCommand: VerbCommand, VerbAction {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List names, sizes and time left; never a secret.",
        discussion: """
            On a terminal a table; into a pipe one line an item: kind, service, account, bytes and time left, with \
            tabs between and no heading. Time left is rounded down by the kernel to the unit shown; '-' means no \
            timeout.

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

    @Argument(help: "Only the items of this service.", completion: .names(.anyServices))
    var service: String?

    @Flag(help: "An array of objects, for programs.")
    var json = false

    @OptionGroup var options: PlaceOptions

    func run() throws {
        let store = try options.place().store()
        var items = try store.items().filter { item in
            service.map { item.item.service.utf8.elementsEqual($0.utf8) } ?? true
        }.map(ListedItem.init)
        if service == nil { items += try store.unreadableKeys().map(ListedItem.init(unreadable:)) }
        if json {
            try Console.writeLine(JSONOutput.text(of: items.map(\.json)))
        } else {
            try Console.write(Self.table(items.map(\.columns), aligned: Console.isOutputTerminal))
        }
    }

    /// For people, aligned columns under a heading; for programs, one tab between columns and no heading.
    private static func table(_ rows: [[String]], aligned: Bool) -> String {
        guard aligned, !rows.isEmpty else { return rows.map { $0.joined(separator: "\t") + "\n" }.joined() }
        let titles = ["KIND", "SERVICE", "ACCOUNT", "BYTES", "TIME LEFT"]
        return TextTable(columns: titles.map { .init($0, isNumber: false) }, rows: rows).text()
    }
}

/// What is listed: never a secret.
private struct ListedItem {
    let columns: [String]
    /// The names are a promise to scripts.
    let json: JSONValue

    init(_ item: ItemAttributes) {
        var timeLeft: KeyTimeLeft?
        if case .after(let left) = item.expiry { timeLeft = left }
        let (kind, service, account) = (item.item.kind.rawValue, item.item.service, item.item.account)
        columns = [
            kind, Display.plain(service), Display.plain(account), "\(item.size)", item.expiry.text,
        ]
        json = .object([
            "kind": .string(kind), "service": .string(service), "account": .string(account),
            "size": JSONValue(item.size), "timeLeft": JSONValue(timeLeft?.atLeast.components.seconds),
            "timeLeftPrecision": JSONValue(timeLeft?.precision.components.seconds),
            "serial": JSONValue(item.serial.rawValue), "uid": JSONValue(item.userID), "gid": JSONValue(item.groupID),
            "permissions": .string(item.permissions.description),
        ])
    }

    /// A key of which nothing is known but its serial.
    init(unreadable key: KeySerial) {
        columns = ["unreadable", key.description, "", "?", "?"]
        json = .object([
            "kind": .string("unreadable"), "service": .string(key.description), "account": .string(""), "size": .null,
            "timeLeft": .null, "timeLeftPrecision": .null, "serial": JSONValue(key.rawValue), "uid": .null,
            "gid": .null, "permissions": .null,
        ])
    }
}

extension ItemAttributes.Expiry {
    fileprivate var text: String {
        switch self {
        case .never: "-"
        case .unknown: "?"
        case .after(let left): DurationText.short(left.atLeast, precision: left.precision)
        }
    }
}
