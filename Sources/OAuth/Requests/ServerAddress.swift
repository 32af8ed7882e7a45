import Keyutils

/// The address of a server, or of one of its endpoints: https, or http on this machine.
package struct ServerAddress: Sendable, Equatable {
    package let text: String
    /// Whether the address is one of http, which never leaves this machine.
    package let isLoopback: Bool
    /// The host and the port, as written.
    package let authority: String

    /// - Returns: `nil` for an address with a user or a fragment, or with characters that have to be encoded.
    package init?(_ text: String) {
        let schemes = ["https://", "http://"]
        guard let scheme = schemes.first(where: text.hasPrefix),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\"\\#<>^`{|}".utf8.contains($0) })
        else { return nil }
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        authority = String(Substring(rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }))
        isLoopback = scheme == "http://"
        self.text = text
        guard !authority.isEmpty, !authority.utf8.contains(UInt8(ascii: "@")) else { return nil }
        if isLoopback, !Self.loopbacks.contains(where: { $0 == host }) { return nil }
    }

    private static let loopbacks = ["127.0.0.1", "localhost", "[::1]"]

    /// The host without its port.
    package var host: String {
        port == nil ? authority : String(authority.utf8.dropLast(portText.utf8.count + 1)) ?? ""
    }

    /// The port; `nil` for an address without one.
    package var port: UInt16? { authority.utf8.contains(UInt8(ascii: ":")) ? UInt16(portText) : nil }

    private var portText: String {
        authority.utf8.lastIndex(of: UInt8(ascii: ":")).map { String(authority[$0...].dropFirst()) } ?? ""
    }

    /// The path, which begins with a slash, without the query; empty without a path.
    package var path: String {
        let start = text.utf8.count - text.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst(3).count
        let rest = text.utf8.dropFirst(start + authority.utf8.count)
        return String(Substring(rest.prefix { $0 != UInt8(ascii: "?") }))
    }

    /// The scheme, the host and the port.
    var origin: String { "\(isLoopback ? "http" : "https")://\(authority)" }
}
