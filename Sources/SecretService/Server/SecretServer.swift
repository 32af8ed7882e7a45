import Glibc
import Keyutils
import SecretText
import SessionKeyring

/// Serves the Secret Service to the clients of a socket, or of a bus.
package final class SecretServer {
    /// How long calls are answered before the next look at what has arrived.
    private static let turn = Duration.milliseconds(5)
    private static let bus = "org.freedesktop.DBus"
    private static let ownName = ":1.0"

    private let service: SecretService
    private let listener: CInt?
    /// The most clients at a time.
    ///
    /// Others wait in the queue of the socket.
    private let places: Int
    private let guid: String
    private var links: [Link] = []
    /// The ``Link/time`` of the link whose calls were answered last.
    private var time = Duration.zero
    /// The link to a real bus; `nil` if we are the bus.
    private var attached: Link?
    private var nameCount = 0
    private var serial: UInt32 = 0
    private var answered = 0
    private var acceptsFrom = ContinuousClock.now
    /// When a client last called.
    package private(set) var lastCall = ContinuousClock.now

    /// Serves the clients that connect to this socket, which already listens.
    ///
    /// - Parameter places: the most clients at a time; by default as many as a bus allows a user.
    package init(_ service: SecretService, listener: CInt, places: Int = 256) {
        (self.service, self.listener, attached) = (service, listener, nil)
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(bitPattern: RLIMIT_NOFILE.rawValue), &limit)
        // Some descriptors remain for the files of the keyring.
        self.places = min(places, max(8, Int(clamping: limit.rlim_cur) - 32))
        // 32 digits.
        guid = String(UInt128.random(in: 1 << 124...(.max)), radix: 16)
        service.report = { [unowned self] in report() }
    }

    /// Serves the clients of a bus, on which we have the name already.
    package init(_ service: SecretService, on bus: BusConnection) {
        let link = bus.link
        (self.service, listener, places, guid, attached) = (service, nil, 1, "", link)
        links = [link]
        serial = bus.serial
        for message in bus.early { take(message, from: link) }
        service.report = { [unowned self] in report() }
    }

    /// Whether there is nobody left to serve, because the bus has gone.
    package var isOver: Bool { listener == nil && links.isEmpty }

    /// Waits for clients until the time, or until one of these descriptors has something to read, and serves them.
    ///
    /// - Returns: whether one of the descriptors has something to read.
    @discardableResult
    package func serve(until end: ContinuousClock.Instant, or others: [CInt]) -> Bool {
        let pause = listener == nil || acceptsFrom <= .now ? nil : acceptsFrom
        let accepts = pause == nil && links.count < places
        // Negative descriptors are left out.
        var wanted = (others + [accepts ? listener ?? -1 : -1]).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        let own = wanted.count
        let memoryIsScarce = links.reduce(0) { $0 + $1.kept } > Link.mostOfAll
        for link in links { link.memoryIsScarce = memoryIsScarce }
        wanted += links.map(\.wanted)
        let due = (links.compactMap(\.due) + [pause ?? end]).min().map { min($0, end) } ?? end
        let left = max(.zero, due - .now)
        let (seconds, attoseconds) = left.components
        let milliseconds = min(seconds, 1_000) * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        let count = unsafe poll(&wanted, UInt(wanted.count), CInt(milliseconds))
        guard count >= 0 else { return false }
        for (link, found) in zip(links, wanted[own...]) {
            if Int32(found.revents) & POLLOUT != 0 { link.flush() }
            if Int32(found.revents) & POLLIN != 0 { link.receive { take($0, from: link) } }
        }
        removeEnded()
        if wanted[own - 1].revents != 0 { accept() }
        answerCalls()
        let now = ContinuousClock.now
        for link in links { link.checkDeadline(now) }
        removeEnded()
        if count == 0 || links.isEmpty { service.prepare() }
        return wanted.prefix(others.count).contains { $0.revents != 0 }
    }

    private func removeEnded() {
        for link in links where link.isOver { if let name = link.name { service.forget(name) } }
        links.removeAll { $0.isOver }
    }

    private func accept() {
        guard let listener else { return }
        while links.count < places {
            let socket = Glibc.accept(listener, nil, nil)
            guard socket >= 0 else {
                // Without a free descriptor, the client keeps waiting, and we must not look at it all the time.
                if errno != EAGAIN { acceptsFrom = .now + .milliseconds(100) }
                return
            }
            connect(socket)
        }
    }

    /// Serves a client on this socket.
    package func connect(_ socket: CInt) {
        let credentials = PeerCredentials(of: socket)
        // An unmapped user of another user namespace has the number of nobody.
        let isOwn = credentials.user == geteuid() && credentials.user != UnixSocket.nobody
        links.append(Link(socket, credentials, Authentication(guid: guid, isAllowed: isOwn)))
        links.last?.time = time
    }

    private func take(_ message: IncomingMessage, from link: Link) {
        let header = message.header
        guard attached == nil else {
            if header.kind == .call, let sender = header.sender {
                link.add(.init(message: message, client: sender))
            }
            if header.member == "NameOwnerChanged", header.sender == Self.bus, let client = owner(in: message) {
                // After the client's calls.
                link.add(.init(message: message, client: client))
            }
            return
        }
        guard header.kind == .call else { return }
        link.add(.init(message: message, client: ""))
    }

    /// Returns the client that has left the bus; `nil` if a name has got an owner.
    private func owner(in message: IncomingMessage) -> String? {
        guard var body = message.body, let name = try? body.string(), (try? body.string()) != nil,
            (try? body.string()) == ""
        else { return nil }
        return name
    }

    /// Answers calls for one turn, first those of the links whose calls have taken the least time.
    ///
    /// A link that had no calls for a while starts at the time of the latest one. So a client with few calls waits for one
    /// turn of a greedy one, or for one long call, and no client waits forever.
    private func answerCalls() {
        let end = ContinuousClock.now + Self.turn
        for link in links.filter({ !$0.calls.isEmpty }).sorted(by: { max($0.time, time) < max($1.time, time) }) {
            let start = ContinuousClock.now
            guard start < end else { return }
            time = max(time, link.time)
            link.answerCalls(until: end) { call in
                call.progress.end = end
                return answer(&call, of: link)
            }
            link.time = time + (.now - start)
        }
    }

    /// Answers a call; returns the pause before the next try if it is blocked.
    private func answer(_ call: inout Link.Call, of link: Link) -> Duration? {
        guard call.message.header.kind == .call else {
            service.forget(call.client)
            return nil
        }
        call.progress.effort = call.wait.effort
        do throws(ServiceFailure) {
            let (signature, write) = try result(of: &call, link)
            send(signature, to: call, link, write)
            emit(service.takeSignals())
        } catch {
            _ = service.takeSignals()
            if case .unfinished = error { return .zero }
            if error.isBlocked, .now - call.arrival < Link.patience, case .store(let reason) = error,
                let pause = call.wait.pause(after: reason, call.progress.step)
            {
                return max(pause, .milliseconds(1))
            }
            send("s", failure: error.name, to: call, link) { $0.string(error.message) }
        }
        (answered, lastCall) = (answered + 1, .now)
        link.callCount += 1
        return nil
    }

    private func result(of call: inout Link.Call, _ link: Link) throws(ServiceFailure) -> SecretService.Answer {
        let header = call.message.header
        guard let body = call.message.body else { throw .limit("the message is larger than any secret can be") }
        guard attached == nil else { return try service.answer(header, body, from: call.client, &call.progress) }
        switch header.destination {
        case nil, Self.bus: return try driver(header, body, link)
        case SecretService.name, Self.ownName:
            guard let name = link.name else { throw .invalid("call Hello first") }
            return try service.answer(header, body, from: name, &call.progress)
        case let name?: throw .unknownName(name)
        }
    }

    /// Sends the answer to a call, if the client expects one.
    ///
    /// - Parameter failure: the name of the error; `nil` for the results of the call.
    private func send(
        _ signature: String, failure: String? = nil, to call: Link.Call, _ link: Link,
        _ write: (inout WireWriter) -> Void
    ) {
        guard call.message.header.expectsReply else { return }
        var header = MessageHeader(kind: failure == nil ? .reply : .error)
        (header.signature, header.errorName, header.expectsReply) = (signature, failure, false)
        header.replySerial = call.message.header.serial
        if attached == nil {
            let isDriver = (call.message.header.destination ?? Self.bus) == Self.bus
            (header.sender, header.destination) = (isDriver ? Self.bus : Self.ownName, link.name)
        } else {
            header.destination = call.client
        }
        link.send(encode(&header, write))
    }

    private func encode(_ header: inout MessageHeader, _ write: (inout WireWriter) -> Void) -> SecretBox {
        serial = serial == .max ? 1 : serial + 1
        header.serial = serial
        return header.encode(write)
    }

    private func emit(_ signals: [Signal]) {
        for signal in signals {
            var header = signal.header
            if attached == nil { header.sender = Self.ownName }
            let senders = [Self.ownName, SecretService.name]
            let isWanted = { (link: Link) in
                link.rules.contains { $0.matches(header, senders: senders, arguments: signal.arguments) }
            }
            let message = encode(&header, signal.write)
            for link in links where link === attached || isWanted(link) { link.send(message, asSignal: true) }
        }
    }

    /// The lines of the report about the clients: processes and counts, but no secrets.
    private func report() -> String {
        let peers = links.filter { $0 !== attached }.map {
            "client: process \($0.credentials.process) (calls: \($0.callCount))"
        }
        return ["bus: \(attached == nil ? "private" : "shared")", "calls: \(answered)"].joined(separator: "\n")
            + peers.map { "\n\($0)" }.joined()
    }
}

/// The part of a bus that clients call.
extension SecretServer {
    private static let path = "/org/freedesktop/DBus"

    private func driver(
        _ call: MessageHeader, _ body: WireReader, _ link: Link
    ) throws(ServiceFailure) -> SecretService.Answer {
        try ServiceFailure.converting(call) {
            let (interface, results) = try Interface.find(call, body, among: [.bus])
            var body = body
            let argument = call.signature.hasPrefix("s") ? try body.string() : ""
            let member = call.member ?? ""
            switch interface.name {
            case Interface.bus.name: return (results, try driverResult(member, argument, link))
            case Interface.peer.name: return (results, { [guid] in if member != "Ping" { $0.string(guid) } })
            case Interface.introspectable.name:
                let path = call.path ?? "/"
                let child = ObjectPath.element(after: path, in: Self.path)
                guard child != nil || path == Self.path else { throw ServiceFailure.unknownObject(path) }
                let text = Interface.description(
                    of: (child == nil ? [.bus] : []) + [.introspectable, .peer], children: child.map { [$0] } ?? [])
                return (results, { $0.string(text) })
            default: throw ServiceFailure.unknownMethod(member)
            }
        }
    }

    private func driverResult(
        _ member: String, _ argument: String, _ link: Link
    ) throws -> (inout WireWriter) -> Void {
        let owner =
            argument == SecretService.name || argument == Self.ownName
            ? Self.ownName : links.compactMap(\.name).first { $0 == argument }
        switch member {
        case "Hello":
            guard link.name == nil else { throw ServiceFailure.invalid("the connection already has a name") }
            nameCount += 1
            let name = ":1.\(nameCount)"
            link.name = name
            return { $0.string(name) }
        case "AddMatch":
            // The bus has the same limit.
            guard argument.utf8.count <= 1_024, let rule = MatchRule(argument) else {
                throw ServiceFailure.invalid("that is not a match rule")
            }
            guard link.rules.count < 256 else { throw ServiceFailure.limit("remove some match rules first") }
            link.rules.append(rule)
            return { _ in }
        case "RemoveMatch":
            if let position = link.rules.firstIndex(where: { MatchRule(argument) == $0 }) {
                link.rules.remove(at: position)
            }
            return { _ in }
        case "GetNameOwner":
            if argument == Self.bus { return { $0.string(Self.bus) } }
            guard let owner else { throw ServiceFailure.nameWithoutOwner(argument) }
            return { $0.string(owner) }
        case "NameHasOwner": return { $0.bool(owner != nil || argument == Self.bus) }
        case "StartServiceByName":
            guard owner != nil else { throw ServiceFailure.unknownName(argument) }
            // It runs already.
            return { $0.number(2) }
        case "ListNames", "ListActivatableNames":
            let others = member == "ListNames" ? [Self.ownName] + links.compactMap(\.name) : []
            return { $0.strings([Self.bus, SecretService.name] + others) }
        default: throw ServiceFailure.unknownMethod(member)
        }
    }
}
