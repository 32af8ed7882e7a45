import Keyutils
import SessionKeyring

/// The attributes of an item, and the identity that follows from them.
///
/// Attributes that only name the program are ignored, so that all clients share an item: gh's token is the item
/// `password:gh%3Agithub.com:USER`, which `skr get gh:github.com USER` reads.
struct ItemAttributeSet {
    let all: [Name: String]

    init(_ all: [Name: String]) {
        self.all = all
    }

    private static func isIgnored(_ name: Name, _ value: String) -> Bool {
        name == "application" || name == "xdg:schema" || (name == "target" && value == "default")
    }

    /// The attributes that tell items apart.
    ///
    /// A set with nothing but ignored attributes, such as Chromium's, keeps them: otherwise, all such programs would
    /// share one item.
    var telling: [Name: String] {
        let telling = all.filter { !Self.isIgnored($0.key, $0.value) }
        return telling.isEmpty ? all : telling
    }

    /// The attributes that the identity does not have.
    var ignored: [Name: String] {
        let telling = telling
        return all.filter { telling[$0.key] == nil }
    }

    var identity: ItemIdentity {
        let telling = telling
        if telling.count == 2, let service = telling["service"], let account = telling["username"], !service.isEmpty {
            return .password(service: service, account: account)
        }
        if telling.count == 3, let server = telling["server"], let user = telling["user"],
            let scheme = telling["protocol"], let origin = Self.origin(scheme: scheme, server: server)
        {
            return .internet(server: origin, account: user)
        }
        return .secret(attributes: telling)
    }

    /// The attributes that an identity stands for; `nil` if it is not an item of the Secret Service.
    static func telling(of item: ItemIdentity) -> [Name: String]? {
        switch item.kind {
        case .password: ["service": item.service, "username": item.account]
        case .internet:
            originParts(item.service).map { ["server": $0.server, "user": item.account, "protocol": $0.scheme] }
        case .secret: item.secretAttributes
        default: nil
        }
    }

    /// Returns whether this is an item of the Secret Service.
    static func isItem(_ item: ItemIdentity) -> Bool { if case .some = telling(of: item) { true } else { false } }

    /// Whether a query can only be answered with the ignored attributes of items.
    var needsIgnored: Bool { !all.isEmpty && all.allSatisfy { Self.isIgnored($0.key, $0.value) } }

    /// Returns whether this query finds an item.
    ///
    /// - Parameter ignored: the item's attributes that its identity does not have, as far as they are known.
    func finds(_ item: ItemIdentity, ignored: [Name: String]) -> Bool {
        if item.kind == .password, !needsIgnored {
            // Most items are of this kind, and need no dictionary.
            return all.allSatisfy { name, value in
                switch name.text {
                case "service": value == item.service
                case "username": value == item.account
                default: Self.isIgnored(name, value)
                }
            }
        }
        guard let telling = Self.telling(of: item) else { return false }
        // A query of ignored attributes only is for an item that has these.
        if needsIgnored { return all.allSatisfy { (telling[$0.key] ?? ignored[$0.key]) == $0.value } }
        return all.allSatisfy { telling[$0.key] == $0.value || Self.isIgnored($0.key, $0.value) }
    }

    /// git's name of a server, as in `https://example.com`; `nil` if the parts could not be told apart again.
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
