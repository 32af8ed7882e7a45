import SecretText

/// Where a secret is for: `scheme://host[:port][/path]`, as the service of an item says it.
struct Origin: Equatable {
    let scheme: String
    /// With its port.
    let host: String
    let path: String?

    /// `nil` for parts that can't be told apart any more once they are joined.
    init?(scheme: String, host: String, path: String?) {
        let isScheme = scheme.utf8.allSatisfy { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
        guard !scheme.isEmpty, isScheme, !host.utf8.contains(UInt8(ascii: "/")) else { return nil }
        self.scheme = scheme
        self.host = host
        self.path = path.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Reads a service; `nil` for one that is no origin.
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
