import CommandSupport
import Keyutils
import SessionKeyring

/// The details of an item that are listed; never its secret.
struct ListedItem: ListedRow {
    typealias NamedPlace = (scope: Place.Scope, namespace: String)

    let columns: [String]
    let tableColumns: [String]
    let json: JSONValue

    init(_ item: ItemAttributes, in place: NamedPlace?) {
        var timeLeft: KeyTimeLeft?
        if case .after(let left) = item.expiry { timeLeft = left }
        let (kind, service, account) = (item.item.kind, item.item.service, item.item.account)
        let (start, end) = (
            Self.columns(of: place) + [kind.rawValue, Display.plain(service)], ["\(item.size)", item.expiry.text]
        )
        columns = start + [Display.plain(account)] + end
        let keys = kind == .cached ? CachedVariant.options(of: account).map { String($0.dropFirst()) } : nil
        let shownAccount = keys ?? account
        tableColumns = start + [Display.plain(shownAccount)] + end
        json = Self.json(
            [
                "kind": .string(kind.rawValue), "service": .string(service), "account": .string(account),
                "size": JSONValue(item.size), "timeLeft": JSONValue(timeLeft?.atLeast.components.seconds),
                "timeLeftPrecision": JSONValue(timeLeft?.precision.components.seconds),
                "serial": JSONValue(item.serial.rawValue), "uid": JSONValue(item.userID),
                "gid": JSONValue(item.groupID), "permissions": .string(item.permissions.description),
            ], in: place)
    }

    /// Creates the entry for a key of which only the serial is known.
    init(unreadable key: KeySerial, in place: NamedPlace?) {
        columns = Self.columns(of: place) + ["unreadable", key.description, "", "?", "?"]
        tableColumns = columns
        json = Self.json(
            [
                "kind": .string("unreadable"), "service": .string(key.description), "account": .string(""),
                "size": .null, "timeLeft": .null, "timeLeftPrecision": .null, "serial": JSONValue(key.rawValue),
                "uid": .null, "gid": .null, "permissions": .null,
            ], in: place)
    }

    /// Returns the headings; if there isn't room for all columns, those of the lowest rank are left out first.
    static func titles(isPlaceNamed: Bool) -> [TextTable.Column] {
        let places: [TextTable.Column] = [
            .init("SCOPE", isNumber: false, rank: 3), .init("NAMESPACE", isNumber: false, rank: 2, isName: true),
        ]
        return (isPlaceNamed ? places : []) + [
            .init("KIND", isNumber: false, rank: 1), .init("SERVICE", isNumber: false, rank: 6, isName: true),
            .init("ACCOUNT", isNumber: false, rank: 5, isName: true), .init("BYTES", isNumber: false, rank: 0),
            .init("TIME LEFT", isNumber: false, rank: 4),
        ]
    }

    private static func columns(of place: NamedPlace?) -> [String] {
        place.map { [$0.scope.rawValue, Display.plain($0.namespace)] } ?? []
    }

    private static func json(_ fields: [Name: JSONValue], in place: NamedPlace?) -> JSONValue {
        guard let place else { return .object(fields) }
        let names: [Name: JSONValue] = ["scope": .string(place.scope.rawValue), "namespace": .string(place.namespace)]
        return .object(fields.merging(names) { $1 })
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
