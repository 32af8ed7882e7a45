import Keyutils
import SecretText
import SessionKeyring

/// A place in the web, `https://host[:port][/path]`, that a secret may be for.
///
/// Who reads the path otherwise than we do must not get a secret for another place: where that could be, it is no address.
package struct WebAddress: Equatable {
    package let scheme: String
    /// As it was written, with its port.
    package let host: String
    /// Without what is behind `?` or `#`, and without slashes at its end.
    package let path: String

    /// - Returns: `nil` for what is no address of http or https, has a user in it, or `.` or `..` in its path.
    package init?(_ text: String) {
        guard let origin = Origin(text), ["http", "https"].contains(origin.scheme),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return nil }
        scheme = origin.scheme
        host = origin.host
        var path = (origin.path ?? "").utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        while path.last == UInt8(ascii: "/") { path.removeLast() }
        self.path = path.isEmpty ? "" : "/\(Substring(path))"
        guard Self.isHost(host), !Self.climbs(self.path) else { return nil }
    }

    /// Reads what a secret is for, as the service of an item says it.
    package init?(service: String) {
        guard !service.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else { return nil }
        self.init(service)
    }

    /// Whether that place is this one, or below it.
    func covers(_ other: WebAddress) -> Bool {
        scheme == other.scheme && comparableHost == other.comparableHost
            && (path == other.path || other.path.utf8.starts(with: (path + "/").utf8))
    }

    /// In small letters, and without the port that is the usual one.
    private var comparableHost: String {
        let usual = scheme == "https" ? ":443" : ":80"
        let host = host.lowercased()
        return host.hasSuffix(usual) ? String(host.dropLast(usual.count)) : host
    }

    private static func isHost(_ host: String) -> Bool {
        let last = host.utf8.last ?? UInt8(ascii: ":")
        return last != UInt8(ascii: ":")
            && host.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-._:[]".utf8.contains($0) }
    }

    /// Whether a server could take a part of it for one that leads upwards, also where it decodes it first.
    private static func climbs(_ path: String) -> Bool {
        let decoded = path.lowercased().replacing("%2e", with: ".").replacing("%2f", with: "/")
            .replacing("%5c", with: "/")
        return decoded.utf8.split(separator: UInt8(ascii: "/")).contains { part in
            let name = part.prefix { $0 != UInt8(ascii: ";") }
            return name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8)
        }
    }
}

extension CredentialHelper {
    /// The items whose service is this place or one above it, the nearest first, and what they are for.
    func items(covering place: WebAddress) throws(SecretStoreError) -> [(item: ItemIdentity, place: WebAddress)] {
        let found = try items.identities().secrets { WebAddress(service: $0.service)?.covers(place) ?? false }
        let places = found.compactMap { item in WebAddress(service: item.service).map { (item: item, place: $0) } }
        let lengths = Set(places.map(\.place.path.utf8.count)).sorted(by: >)
        return lengths.flatMap { length in places.filter { $0.place.path.utf8.count == length } }
    }
}
