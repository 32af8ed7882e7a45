import Keyutils
import SecretText

/// The address that a secret is for, as in an item's service: `scheme://host[:port][/path]`.
struct Origin: Equatable {
    let scheme: String
    /// The host, with its port.
    let host: String
    let path: String?

    /// Creates an origin; `nil` if its parts could not be told apart after they are joined.
    init?(scheme: String, host: String, path: String?) {
        let isScheme = scheme.utf8.allSatisfy { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
        guard !scheme.isEmpty, isScheme, !host.utf8.contains(UInt8(ascii: "/")) else { return nil }
        self.scheme = scheme
        self.host = host
        self.path = path.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Parses a service; `nil` if it is not an origin.
    init?(_ service: String) {
        let bytes = service.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            return nil
        }
        let rest = bytes[bytes.index(colon, offsetBy: 3)...]
        let host = rest.prefix { $0 != UInt8(ascii: "/") }
        let path = rest[host.endIndex...].dropFirst()
        self.init(
            scheme: String(Substring(bytes[..<colon])), host: String(Substring(host)), path: String(Substring(path)))
    }

    var service: String { "\(scheme)://\(host)" + (path.map { "/\($0)" } ?? "") }
}
