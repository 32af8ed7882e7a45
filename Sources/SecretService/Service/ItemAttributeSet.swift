import Keyutils
import SessionKeyring

/// The attributes of an item, or those that a query names; compared byte for byte.
struct ItemAttributeSet: Equatable {
    /// The schemas of git's helper: the earlier one, and the present one.
    private static let gitSchemas: [Name] = ["org.gnome.keyring.NetworkPassword", "org.git.Password"]

    let all: [Name: Name]
    private let service, account: Name?

    init(_ all: [Name: Name]) {
        (self.all, service, account) = (all, all["service"], all["username"])
    }

    /// The attributes that items of the kinds `password` and `internet` can have next to those in their name.
    static let otherNames: [Name] = ["application", "target", "xdg:schema"]

    /// The attributes that the shared name does not have.
    var others: [Name: Name] { all.filter { Self.otherNames.contains($0.key) } }

    /// The name of the kind `password` or `internet` that one item with these attributes can have; `nil` for most sets.
    ///
    /// gh's token has the name `password:gh%3Agithub.com:USER`, so `skr get gh:github.com USER` reads it.
    var sharedName: ItemIdentity? {
        let (others, target) = (others, all["target"] ?? "default")
        guard target == "default", others.values.allSatisfy({ $0.text.utf8.count <= ItemDetails.longestText }) else {
            return nil
        }
        switch all.count - others.count {
        case 2:
            guard let service = all["service"], let account = all["username"], service != "" else { return nil }
            return .password(service: service.text, account: account.text)
        case 3:
            guard let server = all["server"], let user = all["user"], let scheme = all["protocol"],
                let origin = Self.origin(scheme: scheme.text, server: server.text)
            else { return nil }
            return .internet(server: origin, account: user.text)
        default: return nil
        }
    }

    /// Returns whether an item can have this name.
    func canHaveName(_ item: ItemIdentity) -> Bool { item == sharedName || item.secretAttributes == all }

    /// Returns whether an attribute has another value in an item of this set's shared name.
    func conflicts(with details: ItemDetails) -> Bool {
        (details.others ?? [:]).contains { name, value in all[name].map { $0 != value } ?? false }
    }

    /// Returns the attributes in an item's name; `nil` if it is not an item of the Secret Service.
    static func named(by item: ItemIdentity) -> [Name: Name]? {
        switch item.kind {
        case .password: ["service": Name(item.service), "username": Name(item.account)]
        case .internet:
            originParts(item.service).map {
                ["server": Name($0.server), "user": Name(item.account), "protocol": Name($0.scheme)]
            }
        case .secret: item.secretAttributes
        default: nil
        }
    }

    /// Returns whether this is an item of the Secret Service.
    static func isItem(_ item: ItemIdentity) -> Bool { if case .some = named(by: item) { true } else { false } }

    /// Returns all known attributes of an item.
    static func attributes(of item: ItemIdentity, _ details: ItemDetails) -> [Name: Name] {
        let others = item.kind == .secret ? [:] : details.others ?? [:]
        return (named(by: item) ?? [:]).merging(others) { named, _ in named }
    }

    /// Returns the attributes of this query that an item's name does not have; `nil` if it can't find that item.
    func attributesBeyondName(of item: ItemIdentity) -> [Name: Name]? {
        // Most items are passwords, which a query finds or not without a dictionary.
        if item.kind == .password {
            if let service, service.text != item.service { return nil }
            if let account, account.text != item.account { return nil }
        }
        guard let named = Self.named(by: item) else { return nil }
        var others = all
        for (name, value) in named {
            if let wanted = others.removeValue(forKey: name), wanted != value { return nil }
        }
        // The name of a secret has all of its attributes.
        let isPossible = others.isEmpty || item.kind != .secret && others.keys.allSatisfy(Self.otherNames.contains)
        return isPossible ? others : nil
    }

    /// Returns whether this query finds an item.
    ///
    /// - Parameter wanted: its ``attributesBeyondName(of:)`` for that item.
    func finds(_ item: ItemIdentity, _ details: ItemDetails, wanted: [Name: Name]) -> Bool {
        if wanted.isEmpty { return true }
        if let others = details.others { return wanted.allSatisfy { others[$0.key] == $0.value } }
        // The attributes are not known. git asks for the logins of a server without a user.
        if item.kind == .internet, wanted.count == 1, let schema = wanted["xdg:schema"],
            Self.gitSchemas.contains(schema)
        {
            return true
        }
        let namesItem = Self.named(by: item)?.keys.allSatisfy { all[$0] != nil } ?? false
        return namesItem && wanted["target"].map { $0 == "default" } ?? true
    }

    /// Returns git's name of a server, as in `https://example.com`; `nil` if its parts could not be told apart again.
    private static func origin(scheme: String, server: String) -> String? {
        let origin = "\(scheme)://\(server)"
        guard let parts = originParts(origin), parts.scheme == scheme, parts.server == server else { return nil }
        return origin
    }

    private static func originParts(_ origin: String) -> (scheme: String, server: String)? {
        guard let separator = origin.firstRange(of: "://") else { return nil }
        let (scheme, server) = (origin[..<separator.lowerBound], origin[separator.upperBound...])
        guard !scheme.isEmpty, !server.isEmpty, !server.contains("/"), !scheme.contains(":") else { return nil }
        return (String(scheme), String(server))
    }
}
