import Glibc

/// A client of a Secret Service, over one connection with one session without encryption.
final class ServiceClient {
    /// The reason why a call failed; the name is empty if the connection has ended.
    struct Failure: Error, Equatable, CustomStringConvertible {
        let name: String
        var message = ""
        var isDisconnected: Bool { name.isEmpty }
        var description: String { isDisconnected ? message : "\(name): \(message)" }

        static func == (left: Self, right: Self) -> Bool { left.name == right.name }
    }

    static let service = "/org/freedesktop/secrets"
    static let login = "\(service)/collection/login"
    private static let name = "org.freedesktop.secrets"

    let socket: CInt
    /// The service, if it runs in this thread: it is served while the client waits.
    private let service: TestService?
    private var input: [UInt8] = []
    private(set) var isClosed = false
    private(set) var signals: [BusAnswer] = []
    private var serial: UInt32 = 0
    private(set) var session = ""
    /// The longest time between a call and its answer.
    private(set) var longestWait = Duration.zero

    /// Connects to a service at a path, or at an abstract name, which begins with NUL.
    convenience init(path: String) throws(Failure) {
        let socket = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            room.copyBytes(from: path.utf8.prefix(room.count - 1))
        }
        let isAbstract = path.utf8.first == 0
        let size = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count + (isAbstract ? 0 : 1))
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                connect(socket, address, size)
            }
        }
        guard result == 0 else {
            close(socket)
            throw Failure(name: "", message: "no service answers at \(path)")
        }
        try self.init(socket: socket)
    }

    /// - Parameter begins: whether the client authenticates and opens a session.
    init(socket: CInt, of service: TestService? = nil, begins: Bool = true) throws(Failure) {
        (self.socket, self.service) = (socket, service)
        if begins { try begin() }
    }

    private func begin() throws(Failure) {
        try send(Array("\0AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n".utf8))
        while input.count(where: { $0 == UInt8(ascii: "\n") }) < 2 { try receive(until: .now + .seconds(30)) }
        input = []
        _ = try callBus("Hello")
        session = try results(
            "OpenSession", signature: "sv",
            { body in
                body.string("plain")
                body.variant("")
            }
        ) { body throws(BusAnswer.Malformed) in
            _ = try body.signature()
            _ = try body.string()
            return try body.string()
        }
    }

    deinit {
        close(socket)
    }

    /// Calls a method, and waits for its answer.
    func call(
        _ member: String, interface: String? = nil, at path: String = service, to destination: String = name,
        signature: String = "", _ body: (inout BusWriter) -> Void = { _ in }
    ) throws(Failure) -> BusReader {
        serial += 1
        try send(
            BusWriter.call(
                member, interface: interface, at: path, to: destination, signature: signature, serial: serial, body))
        let start = ContinuousClock.now
        while true {
            let answer = try next(until: start + .seconds(30))
            guard answer.replySerial == serial else {
                if answer.kind == 4 { signals.append(answer) }
                continue
            }
            longestWait = max(longestWait, .now - start)
            guard let error = answer.errorName else { return answer.body }
            var text = answer.body
            throw Failure(name: error, message: (try? text.string()) ?? "")
        }
    }

    /// Calls a method of the bus, with at most one argument.
    @discardableResult
    func callBus(_ member: String, _ argument: String? = nil) throws(Failure) -> BusReader {
        try call(
            member, at: "/org/freedesktop/DBus", to: "org.freedesktop.DBus", signature: argument == nil ? "" : "s"
        ) { if let argument { $0.string(argument) } }
    }

    /// Calls a method, and reads its results.
    private func results<Result>(
        _ member: String, at path: String = service, signature: String, _ body: (inout BusWriter) -> Void,
        _ read: (inout BusReader) throws(BusAnswer.Malformed) -> Result
    ) throws(Failure) -> Result {
        var answer = try call(member, at: path, signature: signature, body)
        do throws(BusAnswer.Malformed) {
            return try read(&answer)
        } catch {
            throw Failure(name: "malformed", message: error.description)
        }
    }

    func send(_ bytes: some Collection<UInt8>) throws(Failure) {
        let bytes = Array(bytes)
        var sent = 0
        while sent < bytes.count {
            let flags = CInt(MSG_NOSIGNAL) | (service == nil ? 0 : CInt(MSG_DONTWAIT))
            let count = bytes[sent...].withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, flags) }
            if count < 0, errno == EINTR || errno == EAGAIN {
                service?.serve()
                continue
            }
            guard count > 0 else { throw Failure(name: "", message: "the service has ended the connection") }
            sent += count
        }
    }

    /// Returns the next message.
    func next(until end: ContinuousClock.Instant) throws(Failure) -> BusAnswer {
        do {
            while true {
                if let answer = try take() { return answer }
                try receive(until: end)
            }
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(name: "malformed", message: "\(error)")
        }
    }

    private func take() throws(BusAnswer.Malformed) -> BusAnswer? {
        guard let size = try BusAnswer.size(input), input.count >= size else { return nil }
        defer { input.removeFirst(size) }
        return try BusAnswer(Array(input.prefix(size)))
    }

    /// Takes all bytes that have arrived from a service in this thread.
    func received() -> [UInt8] {
        defer { input = [] }
        repeat { service?.serve() } while !isClosed && (try? receive(until: .now)) != nil
        return input
    }

    /// Takes all messages that have arrived from a service in this thread.
    func answers() throws(BusAnswer.Malformed) -> [BusAnswer] {
        input = received()
        var answers: [BusAnswer] = []
        while let answer = try take() { answers.append(answer) }
        return answers
    }

    private func receive(until end: ContinuousClock.Instant) throws(Failure) {
        var wanted = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while true {
            service?.serve()
            let left = max(.zero, end - .now) / .milliseconds(1)
            if poll(&wanted, 1, service == nil ? CInt(left.rounded(.up)) : 0) > 0 { break }
            guard service != nil, left > 0 else {
                throw Failure(name: "no answer", message: "the service does not answer")
            }
        }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else {
            isClosed = true
            throw Failure(name: "", message: "the service has ended the connection")
        }
        input += buffer[..<count]
    }
}

/// The calls that the suite makes.
extension ServiceClient {
    /// Returns the paths of the items that have these attributes.
    func search(_ attributes: [String: String], in collection: String = login) throws(Failure) -> [String] {
        try results("SearchItems", at: collection, signature: "a{ss}", { $0.dictionary(attributes) }) {
            body throws(BusAnswer.Malformed) in try body.strings()
        }
    }

    /// Stores a secret, and returns the path of the item.
    @discardableResult
    func create(
        _ attributes: [String: String], _ secret: [UInt8], label: String? = nil, type: String = "text/plain",
        replace: Bool = true, in collection: String = login, session: String? = nil
    ) throws(Failure) -> String {
        let session = session ?? self.session
        return try results(
            "CreateItem", at: collection, signature: Self.creationSignature,
            { body in
                Self.write(attributes, secret, label, type: type, session, &body)
                body.number(replace ? 1 : 0)
            }
        ) { body throws(BusAnswer.Malformed) in try body.string() }
    }

    private static let creationSignature = "a{sv}(oayays)b"

    private static func write(
        _ attributes: [String: String], _ secret: [UInt8], _ label: String?, type: String = "text/plain",
        _ session: String, _ body: inout BusWriter
    ) {
        body.array(alignedTo: 8) { properties in
            if let label {
                properties.string("org.freedesktop.Secret.Item.Label")
                properties.variant(label)
            }
            properties.align(to: 8)
            properties.string("org.freedesktop.Secret.Item.Attributes")
            properties.signature("a{ss}")
            properties.dictionary(attributes)
        }
        write(secret, type: type, session, &body)
    }

    /// The bytes of a call that stores a secret.
    static func creation(_ attributes: [String: String], _ secret: [UInt8], _ session: String) -> [UInt8] {
        BusWriter.call(
            "CreateItem", at: login, to: name, signature: creationSignature, serial: .max
        ) {
            write(attributes, secret, nil, session, &$0)
            $0.number(1)
        }
    }

    static func write(
        _ secret: [UInt8], type: String = "text/plain", _ session: String, _ body: inout BusWriter
    ) {
        body.align(to: 8)
        body.string(session)
        body.data([])
        body.data(secret)
        body.string(type)
    }

    /// Returns the secret of an item; `nil` if the item is gone.
    func secret(at path: String, session: String? = nil) throws(Failure) -> [UInt8]? {
        let session = session ?? self.session
        do throws(Failure) {
            return try results("GetSecret", at: path, signature: "o", { $0.string(session) }) {
                body throws(BusAnswer.Malformed) in
                _ = try body.string()
                _ = try body.data()
                return try body.data()
            }
        } catch {
            guard error.name.hasSuffix(".UnknownObject") else { throw error }
            return nil
        }
    }

    /// Deletes an item; returns false if it is gone.
    func delete(_ path: String) throws(Failure) -> Bool {
        do throws(Failure) {
            _ = try call("Delete", interface: "org.freedesktop.Secret.Item", at: path)
            return true
        } catch {
            guard error.name.hasSuffix(".UnknownObject") else { throw error }
            return false
        }
    }
}
