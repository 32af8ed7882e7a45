import CommandSupport
import Keyutils
import SessionKeyring

/// The details of an item that are listed; never its secret.
struct ListedItem: ListedRow {
    typealias NamedPlace = (scope: Place.Scope, namespace: String)

    private enum Content {
        case item(ItemAttributes)
        /// A key of which only the serial is known.
        case unreadable(KeySerial)
    }

    private let content: Content
    private let place: NamedPlace?

    init(_ item: ItemAttributes, in place: NamedPlace?) { (content, self.place) = (.item(item), place) }

    init(unreadable key: KeySerial, in place: NamedPlace?) { (content, self.place) = (.unreadable(key), place) }

    var columns: [String] { columns { $0.item.account } }

    var tableColumns: [String] {
        columns { item in
            let (kind, account) = (item.item.kind, item.item.account)
            let keys = kind == .cached ? CachedVariant.options(of: account).map { String($0.dropFirst()) } : nil
            return keys ?? account
        }
    }

    private func columns(_ account: (ItemAttributes) -> String) -> [String] {
        let start = place.map { [$0.scope.rawValue, Display.plain($0.namespace)] } ?? []
        switch content {
        case .item(let item):
            let names = [item.item.kind.rawValue, Display.plain(item.item.service), Display.plain(account(item))]
            return start + names + ["\(item.size)", item.expiry.text]
        case .unreadable(let key): return start + ["unreadable", key.description, "", "?", "?"]
        }
    }

    var json: JSONValue {
        var fields: [Name: JSONValue]
        switch content {
        case .item(let item):
            var timeLeft: KeyTimeLeft?
            if case .after(let left) = item.expiry { timeLeft = left }
            fields = [
                "kind": .string(item.item.kind.rawValue), "service": .string(item.item.service),
                "account": .string(item.item.account), "size": JSONValue(item.size),
                "timeLeft": JSONValue(timeLeft?.atLeast.components.seconds),
                "timeLeftPrecision": JSONValue(timeLeft?.precision.components.seconds),
                "serial": JSONValue(item.serial.rawValue), "uid": JSONValue(item.userID),
                "gid": JSONValue(item.groupID), "permissions": .string(item.permissions.description),
            ]
        case .unreadable(let key):
            fields = [
                "kind": .string("unreadable"), "service": .string(key.description), "account": .string(""),
                "size": .null, "timeLeft": .null, "timeLeftPrecision": .null, "serial": JSONValue(key.rawValue),
                "uid": .null, "gid": .null, "permissions": .null,
            ]
        }
        if let place {
            (fields["scope"], fields["namespace"]) = (.string(place.scope.rawValue), .string(place.namespace))
        }
        return .object(fields)
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
