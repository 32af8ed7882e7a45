import CommandSupport
import Keyutils
import SessionKeyring

/// Lists what is there: names, sizes, time left; never a secret.
struct ListAction: VerbAction {
    let place: Place
    let service: String?
    let asJSON: Bool

    func run() throws {
        let store = try place.store()
        var items = try store.items().filter { item in
            service.map { item.item.service.utf8.elementsEqual($0.utf8) } ?? true
        }.map(ListedItem.init)
        if service == nil { items += try store.unreadableKeys().map(ListedItem.init(unreadable:)) }
        if asJSON {
            try Console.writeLine(JSONOutput.text(of: items))
        } else {
            try Console.write(Self.table(items, aligned: Console.isOutputTerminal))
        }
    }

    /// Columns are aligned, under a heading, for people, and separated by one tab, without a heading, for programs.
    private static func table(_ items: [ListedItem], aligned: Bool) -> String {
        let rows = items.map { item in
            [
                item.kind, Display.plain(item.service), Display.plain(item.account), item.size.map { "\($0)" } ?? "?",
                item.timeLeftText,
            ]
        }
        guard aligned, !rows.isEmpty else { return rows.map { $0.joined(separator: "\t") + "\n" }.joined() }
        let titles = ["KIND", "SERVICE", "ACCOUNT", "BYTES", "TIME LEFT"]
        return TextTable(columns: titles.map { .init($0, isNumber: false) }, rows: rows).text()
    }
}

/// What is listed.
///
/// The names are a promise to scripts.
private struct ListedItem: Encodable {
    let kind: String
    let service: String
    let account: String
    /// `null` for a key that can't be read.
    let size: Int?
    /// Whole seconds, rounded down; `null` where there is no timeout.
    let timeLeft: Int64?
    /// Less than `timeLeft` and this together is left; `null` where there is no timeout.
    let timeLeftPrecision: Int64?
    let serial: Int32
    let uid: UInt32?
    let gid: UInt32?
    let permissions: String?
    let timeLeftText: String

    init(_ item: ItemAttributes) {
        kind = item.item.kind.rawValue
        service = item.item.service
        account = item.item.account
        size = item.size
        if case .after(let left) = item.expiry {
            timeLeft = left.atLeast.components.seconds
            timeLeftPrecision = left.precision.components.seconds
        } else {
            timeLeft = nil
            timeLeftPrecision = nil
        }
        timeLeftText = item.expiry.text
        serial = item.serial.rawValue
        uid = item.userID
        gid = item.groupID
        permissions = item.permissions.description
    }

    /// A key of which nothing is known but its serial.
    init(unreadable key: KeySerial) {
        kind = "unreadable"
        service = key.description
        account = ""
        (size, timeLeft, timeLeftPrecision) = (nil, nil, nil)
        timeLeftText = "?"
        serial = key.rawValue
        (uid, gid, permissions) = (nil, nil, nil)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        try container.encode(kind, forKey: .kind)
        try container.encode(service, forKey: .service)
        try container.encode(account, forKey: .account)
        try container.encode(size, forKey: .size)
        // Not left out where they are null.
        try container.encode(timeLeft, forKey: .timeLeft)
        try container.encode(timeLeftPrecision, forKey: .timeLeftPrecision)
        try container.encode(serial, forKey: .serial)
        try container.encode(uid, forKey: .uid)
        try container.encode(gid, forKey: .gid)
        try container.encode(permissions, forKey: .permissions)
    }

    private enum Name: String, CodingKey {
        case kind, service, account, size, timeLeft, timeLeftPrecision, serial, uid, gid, permissions
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
