import CommandSupport
import Glibc
import Keyutils

struct ListVerb: Verb {
    static let name = "list"
    static let summary = "List names, sizes and time left; never a secret."
    static let details = """
        On a terminal, list prints a table that fits: it shortens long names in the middle, and then leaves out \
        columns. In a pipe, it prints one complete line per item, with tabs and without a heading: kind, \
        service, account, bytes and time left.

        The kernel rounds the time left down to the unit shown; '-' means no timeout. Numbers in names are \
        sorted as numbers: svc-2 comes before svc-10.

        'svc-*' lists all services that begin with svc-. The quotes keep the shell from expanding the '*'. A \
        service whose own name ends in '*' can't be listed alone.

        The kind 'cached' is an output that 'skr cached' has stored. The table shows its --key options; a pipe \
        and JSON show the keys as the account, with commas between them. 'skr cached --forget' deletes it.

        The kind 'secret' is an item that a program has stored with the Secret Service (skr-secrets). Its service \
        is the program's attributes: names and values, separated by colons.

        --all lists every scope and namespace of this login, with two more columns in front: scope and \
        namespace. It creates no keyring, doesn't renew the persistent one, and ignores SKR_SCOPE and \
        SKR_NAMESPACE. If /proc/keys is hidden, it warns about scopes that it can't see.

        --expiring lists the items that have less time left than the duration, and never an item without a \
        timeout. Because the kernel rounds down, an item can be listed too early, but not too late.

        With --expiring, the exit code is 0 if an item is listed; 1, without output, if not; 69 if /proc/keys is \
        hidden, because the time left is then unknown.

        JSON: an array of objects, in the order of the lines; names are sorted:
          account            text; empty if the item has no account
          gid, uid           the key's owner
          kind               "password", "internet", "key", "credential",
                             "cached" or "secret"; "unreadable" for a key
                             that can't be read
          namespace, scope   where the item is; only with --all
          permissions        the key's permissions: eight hexadecimal digits
          serial             the key's number
          service            text
          size               bytes
          timeLeft           whole seconds, rounded down; null without a timeout
                             or if /proc/keys is hidden
          timeLeftPrecision  seconds; the time left is less than timeLeft plus
                             timeLeftPrecision; null if timeLeft is null
        """

    static let examples = """
        skr list
        skr list 'svc-*'
        skr list --all
        skr list --expiring 10m >/dev/null && echo 'secrets end soon'
        skr list --json | jq -r '.[].service'
        """

    private let all, isJSON: Bool
    private let expiring: Duration?
    private let options: PlaceOptions
    private let service: String?

    init(_ words: inout CommandWords) {
        all = words.flag("--all", "List every scope and namespace of this login.")
        expiring = words.duration(
            "--expiring", "Only items with less time left than this: 90s, 15m, 8h, 2d or 1h30m.")
        isJSON = words.flag("--json", "Print an array of objects, for programs.")
        options = PlaceOptions(&words)
        service = words.optionalWord(
            "SERVICE", "Only items of this service; 'svc-*' means all services that begin with svc-.", .anyServices)
    }

    func run() throws {
        guard !all || !options.isGiven else {
            throw CommandError.usage(
                "--all can't be combined with --scope or --namespace",
                hint: "leave out --all, or both --scope and --namespace")
        }
        try service.map(Target.requireService)
        let place = all ? nil : try options.place()
        var places = try place.map { [try ListedPlace($0)] } ?? ListedPlace.all()
        if let expiring {
            try requireTimesLeft(of: places)
            for index in places.indices { places[index].keep(expiringWithin: expiring) }
        }
        if let service { for index in places.indices { places[index].keep(service: service) } }
        let items = places.flatMap { $0.listed(isNamed: all) }
        if expiring != nil, items.isEmpty { Glibc.exit(ExitCode.noItem.rawValue) }
        let what = service.map { " as \(Display.quoted($0))" } ?? ""
        try Listing.show(
            items, isJSON: isJSON, titles: ListedItem.titles(isPlaceNamed: all),
            nothing: "nothing stored\(what)\(place?.remark ?? " in any scope")",
            hint: place?.scope == .session && service == nil ? MissingItem.sessionHint : nil)
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
            exitCode: .unavailable, message: "the time left is unknown: /proc/keys is hidden",
            hint: "mount /proc, and don't let the container mask /proc/keys; timeouts work anyway")
    }
}
