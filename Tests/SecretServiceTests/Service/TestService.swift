import Foundation
import Glibc
import Keyutils
import SecretText
import SessionKeyring
import SessionKeyringTesting
import Testing

@testable import SecretService

/// A service in this process, in a scratch keyring, with clients on pairs of sockets.
final class TestService {
    let scratch: ScratchKeyring
    let server: SecretServer
    let service: SecretService
    let store: SecretStore

    init(timeouts: TimeoutRules = TimeoutRules(), wrapping: Bool = false) throws {
        scratch = try ScratchKeyring()
        let scope = SecretScope.keyring(scratch.keyring.serial)
        service = try SecretService(scope, namespace: "default", timeouts: timeouts)
        server = SecretServer(service, listener: -1)
        store = try SecretStore(scope)
    }

    /// Connects a client, and returns its end of the connection.
    func connect() throws -> CInt {
        var ends: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        server.connect(ends[1])
        return ends[0]
    }

    /// Connects a client that has said hello.
    func client() throws -> TestClient {
        let client = try TestClient(self)
        client.send(Array("\0AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n".utf8))
        #expect(String(decoding: client.received(), as: UTF8.self).hasPrefix("DATA\r\nOK "))
        _ = try client.call("Hello", destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus")
        return client
    }

    /// Serves what has arrived.
    func serve(for duration: Duration = .zero) {
        let end = ContinuousClock.now + duration
        repeat { server.serve(until: min(end, .now + .milliseconds(20)), or: []) } while .now < end
    }
}

/// The reason why a call failed.
struct TestFailure: Error, Equatable {
    let name: String
    let message: String

    static func == (left: Self, right: Self) -> Bool { left.name == right.name }
}

final class TestClient {
    let socket: CInt
    private let service: TestService
    private var assembler = MessageAssembler()
    private var serial: UInt32 = 0
    var signals: [IncomingMessage] = []

    init(_ service: TestService) throws {
        (socket, self.service) = (try service.connect(), service)
    }

    deinit { close(socket) }

    /// Sends bytes, and waits until the service has read them, unless `waits` is false.
    ///
    /// - Returns: whether all bytes were sent.
    @discardableResult
    func send(_ bytes: [UInt8], waits: Bool = true) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Array(rest).withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
            }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EAGAIN || !waits { return false }
            service.serve()
        }
        service.serve()
        return true
    }

    /// The bytes that have arrived.
    func received() -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(socket, &buffer, buffer.count, CInt(MSG_DONTWAIT))
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
            service.serve()
        }
    }

    /// Whether the service has closed the connection.
    var isClosed: Bool {
        service.serve()
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, CInt(MSG_DONTWAIT) | CInt(MSG_PEEK)) == 0
    }

    /// Calls a method and returns the body of its answer.
    func call(
        _ member: String, destination: String = SecretService.name, path: String = SecretService.path,
        signature: String = "", within limit: Duration = .seconds(5), _ body: (inout WireWriter) -> Void = { _ in }
    ) throws -> WireReader {
        serial += 1
        send(Samples.call(member, signature: signature, path: path, destination: destination, serial: serial, body))
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end {
            service.serve()
            let messages = try take(received())
            signals += messages.filter { $0.header.replySerial != serial }
            guard let message = messages.first(where: { $0.header.replySerial == serial }) else { continue }
            var answer = try #require(message.body)
            guard message.header.kind == .reply else {
                throw TestFailure(name: message.header.errorName ?? "", message: try answer.string())
            }
            return answer
        }
        throw TestFailure(name: "no answer", message: "")
    }

    private func take(_ bytes: [UInt8]) throws -> [IncomingMessage] {
        var messages: [IncomingMessage] = []
        var offset = 0
        while offset < bytes.count {
            let (count, message) = try assembler.take(bytes.span.bytes.extracting(droppingFirst: offset))
            offset += count
            if let message { messages.append(message) }
        }
        return messages
    }
}

/// The calls of clients.
extension TestClient {
    static let login = "/org/freedesktop/secrets/collection/login"

    /// Opens a session without encryption and returns its path.
    func openSession() throws -> String {
        var answer = try call("OpenSession", signature: "sv") { writer in
            writer.string("plain")
            writer.variant(.string(""))
        }
        _ = try answer.variant()
        _ = try answer.string()
        return try answer.objectPath()
    }

    /// Stores a secret and returns its path.
    @discardableResult
    func create(
        _ attributes: [String: String], _ secret: String, label: String = "label", in collection: String = login,
        session: String, within limit: Duration = .seconds(5)
    ) throws -> String {
        var answer = try call(
            "CreateItem", path: collection, signature: "a{sv}(oayays)b", within: limit
        ) { writer in
            let properties: [(String, WireValue)] = [
                ("org.freedesktop.Secret.Item.Label", .string(label)),
                ("org.freedesktop.Secret.Item.Attributes", .stringDictionary(attributes)),
            ]
            writer.entries(properties) { entry, writer in
                writer.string(entry.0)
                writer.variant(entry.1)
            }
            Self.write(secret, session, &writer)
            writer.bool(true)
        }
        return try answer.objectPath()
    }

    static func write(_ secret: String, _ session: String, _ writer: inout WireWriter) {
        writer.align(to: 8)
        writer.string(session)
        writer.bytes([UInt8]().span.bytes)
        writer.bytes(Array(secret.utf8).span.bytes)
        writer.string("text/plain")
    }

    func search(_ attributes: [String: String], in collection: String = login) throws -> [String] {
        var answer = try call("SearchItems", path: collection, signature: "a{ss}") { writer in
            writer.write(.stringDictionary(attributes))
        }
        return try answer.objectPaths()
    }

    func secret(_ path: String, session: String) throws -> String {
        var answer = try call("GetSecret", path: path, signature: "o") { $0.string(session) }
        try answer.align(to: 8)
        _ = try answer.objectPath()
        _ = try answer.bytes { $0.byteCount }
        return try answer.bytes { String(lossy: $0) }
    }

    func property(_ name: String, of interface: String, at path: String) throws -> WireReader {
        var answer = try call("Get", path: path, signature: "ss") { writer in
            writer.string("org.freedesktop.Secret.\(interface)")
            writer.string(name)
        }
        _ = try answer.variant()
        return answer
    }
}
