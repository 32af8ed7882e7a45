import Keyutils

/// The address of a server, or of one of its endpoints: https, or http on this machine.
package struct ServerAddress: Sendable, Equatable {
    package let text: String
    /// Whether the address is one of http, which never leaves this machine.
    package let isLoopback: Bool
    /// The host and the port, as written.
    let authority: String
    /// The path, which begins with a slash, without the query; empty without a path.
    let path: String

    /// - Returns: `nil` for an address with a user or a fragment, or with characters that have to be encoded.
    package init?(_ text: String) {
        let schemes = ["https://", "http://"]
        guard let scheme = schemes.first(where: text.hasPrefix),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\"\\#<>^`{|}".utf8.contains($0) })
        else { return nil }
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        (self.text, isLoopback, self.authority) = (text, scheme == "http://", String(Substring(authority)))
        path = String(Substring(rest.dropFirst(authority.count).prefix { $0 != UInt8(ascii: "?") }))
        guard !authority.isEmpty, !authority.contains(UInt8(ascii: "@")) else { return nil }
        let isHere = ["127.0.0.1", "localhost"].contains { $0 == host } && (port != nil || host == self.authority)
        if isLoopback, !isHere { return nil }
    }

    /// The host without its port, for an address of http.
    var host: String { String(Substring(authority.utf8.prefix { $0 != UInt8(ascii: ":") })) }

    /// The port; `nil` for an address without one.
    package var port: UInt16? { UInt16(Substring(authority.utf8.dropFirst(host.utf8.count + 1))) }

    /// The scheme, the host and the port.
    var origin: String { "\(isLoopback ? "http" : "https")://\(authority)" }
}
