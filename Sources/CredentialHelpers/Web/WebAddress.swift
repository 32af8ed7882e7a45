import Keyutils
import SecretText
import SessionKeyring

/// An address on the web that a secret can be for: `https://host[:port][/path]`.
///
/// If a server interprets a path differently than we do, it must not get the secret of another place. This type refuses
/// every address with which that could happen.
package struct WebAddress: Equatable {
    package let scheme: String
    /// The host in its original spelling, with its port.
    package let host: String
    /// The path without slashes at its end, and without `?` or `#` and the text after them.
    package let path: String

    /// Parses an address.
    ///
    /// - Returns: `nil` for text that is not an address of http or https, has a user in it, or has `.`
    ///   or `..` in its path.
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

    /// Parses the address that a secret is for, as in an item's service.
    package init?(service: String) {
        guard !service.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else { return nil }
        self.init(service)
    }

    /// Returns whether the other address is this one, or below it.
    func covers(_ other: WebAddress) -> Bool {
        scheme == other.scheme && comparableHost == other.comparableHost
            && (path == other.path || other.path.utf8.starts(with: (path + "/").utf8))
    }

    /// The host in lower case, without the default port.
    private var comparableHost: String {
        let usual = scheme == "https" ? ":443" : ":80"
        let host = host.asciiLowercased
        return host.hasSuffix(usual) ? String(host.dropLast(usual.count)) : host
    }

    private static func isHost(_ host: String) -> Bool {
        let last = host.utf8.last ?? UInt8(ascii: ":")
        return last != UInt8(ascii: ":")
            && host.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-._:[]".utf8.contains($0) }
    }

    /// Returns whether a server could read a part of the path as `.` or `..`, even if it decodes the path first.
    private static func climbs(_ path: String) -> Bool {
        let decoded = path.asciiLowercased.replacing("%2e", with: ".").replacing("%2f", with: "/")
            .replacing("%5c", with: "/")
        return decoded.utf8.split(separator: UInt8(ascii: "/")).contains { part in
            let name = part.prefix { $0 != UInt8(ascii: ";") }
            return name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8)
        }
    }
}

extension CredentialHelper {
    /// Returns the items whose service is this address or above it, nearest first, with their addresses.
    func items(covering place: WebAddress) throws(SecretStoreError) -> [(item: ItemIdentity, place: WebAddress)] {
        let found = try items.identities().secrets { WebAddress(service: $0.service)?.covers(place) ?? false }
        let places = found.compactMap { item in WebAddress(service: item.service).map { (item: item, place: $0) } }
        let lengths = Set(places.map(\.place.path.utf8.count)).sorted(by: >)
        return lengths.flatMap { length in places.filter { $0.place.path.utf8.count == length } }
    }
}
