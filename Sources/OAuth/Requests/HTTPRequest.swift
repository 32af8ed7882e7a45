import Keyutils
package import SecretText

/// A request to a server: a GET, or a POST of a form.
package struct HTTPRequest: Sendable {
    package let address: ServerAddress
    /// The encoded form; `nil` for a GET.
    package let form: SecretBox?
    /// The value of the header `Authorization`.
    package let authorization: SecretBox?

    package init(_ address: ServerAddress, form: SecretBox? = nil, authorization: SecretBox? = nil) {
        (self.address, self.form, self.authorization) = (address, form, authorization)
    }

    /// Sends a request that can be sent again; without an answer, throws `tryAgain`.
    func send(_ transport: Transport) throws(OAuthError) -> (status: Int, body: SecretBox) {
        switch transport(self, { _ in true }) {
        case .answer(let status, let body): return (status, body)
        case .notSent(let reason), .unknown(let reason): throw OAuthError(.tryAgain, reason)
        }
    }
}

/// The fate of a request.
package enum HTTPOutcome: Sendable {
    case answer(status: Int, body: SecretBox)
    /// The server has certainly not got the request.
    case notSent(reason: String)
    /// The server may have acted on the request.
    case unknown(reason: String)
}

/// Sends a request; first, it asks `mayStart` with the process that is going to send.
package typealias Transport = (_ request: HTTPRequest, _ mayStart: (Int32) -> Bool) -> HTTPOutcome

/// A form in the coding `application/x-www-form-urlencoded`.
package struct Form {
    private var fields: [(name: String, value: SecretBox)] = []

    package init(_ fields: [(String, String)] = []) {
        for (name, value) in fields { add(name, value) }
    }

    package mutating func add(_ name: String, _ value: String) {
        unsafe add(name, SecretBox(copying: value.utf8Span.span.bytes))
    }

    package mutating func add(_ name: String, _ value: SecretBox) { fields.append((name, value)) }

    func contains(_ name: String) -> Bool { fields.contains { $0.name == name } }

    package var encoded: SecretBox {
        SecretBox(
            SecretBytes { text in
                var isFirst = true
                for (name, value) in fields {
                    if !isFirst { text.append("&") }
                    isFirst = false
                    unsafe text.appendEncoded(name.utf8Span.span.bytes)
                    text.append("=")
                    value.bytes.withBytes { text.appendEncoded($0) }
                }
            })
    }

    /// Decodes a query; a field that can't be decoded is left out.
    static func fields(of query: some Collection<UInt8>) -> [(name: String, value: String)] {
        query.split(separator: UInt8(ascii: "&")).compactMap { field in
            let name = field.prefix { $0 != UInt8(ascii: "=") }
            let parts = [Array(name), Array(field.dropFirst(name.count + 1))].map { part in
                PercentCoding.bytes(of: part.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 })
                    .flatMap { String(validating: $0, as: UTF8.self) }
            }
            guard let name = parts[0], let value = parts[1] else { return nil }
            return (name, value)
        }
    }
}

extension SecretWriter {
    /// Appends a text, percent-encoded except for letters, digits and `-._~`.
    mutating func appendEncoded(_ bytes: RawSpan) {
        for offset in 0..<bytes.byteCount {
            let byte = bytes[offset]
            if byte.isLetter || byte.isDigit || "-._~".utf8.contains(byte) {
                append(byte)
            } else {
                append(PercentCoding.escape(byte))
            }
        }
    }
}
